// kgen's own kernels, run beside a candidate's: they look at memory after it and leave nothing behind.

/// Adds up mix((word ^ key) + i * step) over SIZE bytes; see Digest.h.
extern "C" __global__ void kgen_trusted_digest(const unsigned char *bytes, unsigned long long size,
                                               unsigned long long key, unsigned long long step,
                                               unsigned long long *result) {
  const unsigned long long *words = (const unsigned long long *)bytes;
  unsigned long long whole = size / 8, sum = 0;
  unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
  bool aligned = (unsigned long long)bytes % 8 == 0;
  for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < whole + (size % 8 != 0);
       i += stride) {
    unsigned long long z = 0;
    if (aligned && i < whole)
      z = words[i];
    else
      for (unsigned long long b = 0; b < 8 && i * 8 + b < size; ++b)
        z |= (unsigned long long)bytes[i * 8 + b] << (8 * b);
    z = (z ^ key) + i * step;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
    sum += z ^ (z >> 31);
  }
  for (int lane = 16; lane > 0; lane /= 2)
    sum += __shfl_down_sync(0xffffffffu, sum, lane);
  if (threadIdx.x % 32 == 0 && sum != 0)
    atomicAdd(result, sum);
}

/// Writes COUNT words of poison, from word FIRST of buffer SALT on (PoisonWord.h).
extern "C" __global__ void kgen_trusted_fill(unsigned *words, unsigned long long count, unsigned seed, unsigned salt,
                                             unsigned long long first) {
  unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x;
  for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
    words[i] = kgen_poison_word(seed, salt, first + i);
}

/// Counts the words that are not that.
extern "C" __global__ void kgen_trusted_count(const unsigned *words, unsigned long long count, unsigned seed,
                                              unsigned salt, unsigned long long first, unsigned long long *result) {
  unsigned long long stride = (unsigned long long)gridDim.x * blockDim.x, found = 0;
  for (unsigned long long i = (unsigned long long)blockIdx.x * blockDim.x + threadIdx.x; i < count; i += stride)
    found += words[i] != kgen_poison_word(seed, salt, first + i);
  if (found != 0)
    atomicAdd(result, found);
}

/// Fills a multiprocessor's shared memory, so that nothing lies there from the last kernel. Below a block's own begins
/// the system's part (1 KiB), which any kernel can write: zero, as the driver leaves it.
extern "C" __global__ void kgen_trusted_scrub(unsigned seed, int words) {
  extern __shared__ unsigned scrubbed[];
  volatile unsigned *memory = scrubbed;
  for (int i = threadIdx.x; i < words; i += blockDim.x)
    memory[i] = kgen_poison_word(seed, 0, i);
  for (unsigned at = threadIdx.x * 4; at < (unsigned)__cvta_generic_to_shared(scrubbed); at += blockDim.x * 4)
    asm volatile("st.shared.u32 [%0], %1;" : : "r"(at), "r"(0) : "memory");
}

/// Fills COUNT registers: a kernel may read one that it has not written. What is carried through a loop of unknown
/// length (2 PASSES) stands in a register of its own: in one of the thread's, or, when STEP is the same for all threads
/// and needs no product, of the warp's. SINK is never written.
template <int Count>
__device__ void scrubRegisters(unsigned pattern, unsigned step, int passes, unsigned *sink) {
  unsigned values[Count];
#pragma unroll
  for (int i = 0; i < Count; ++i)
    values[i] = pattern + i;
#pragma unroll 1
  for (int pass = 0; pass < passes; ++pass)
#pragma unroll
    for (int i = 0; i < Count; ++i)
      values[i] += step;
  unsigned fold = 0;
#pragma unroll
  for (int i = 0; i < Count; ++i)
    fold ^= values[i] + i;
  if (passes < 0)
    *sink = fold;
}
/// ptxas leaves the last two of a thread's registers alone. Those of the one kernel lie in the middle of the other's.
extern "C" __global__ void __launch_bounds__(512, 1)
    kgen_trusted_registers_128(unsigned pattern, int passes, unsigned *sink) {
  scrubRegisters<122>(pattern, threadIdx.x, passes, sink);
}
extern "C" __global__ void __launch_bounds__(384, 1)
    kgen_trusted_registers_168(unsigned pattern, int passes, unsigned *sink) {
  scrubRegisters<162>(pattern, threadIdx.x, passes, sink);
}

/// Fills BYTES of each thread's local memory: what a kernel kept on its stack would still lie there for the next one in
/// the same place. With two blocks of 1024 threads for each multiprocessor, and none leaving before all have come
/// (ARRIVED begins at 0; after 2 ms they give up), no place is left out.
template <int Bytes>
__device__ void scrubLocal(unsigned pattern, unsigned *arrived) {
  scrubRegisters<56>(pattern, pattern, int(blockDim.z) + 1, arrived); // of all warps that fit
  unsigned local[Bytes / 4];
  volatile unsigned *memory = local;
  asm volatile("" : "+l"(memory) : : "memory");
  for (int i = 0; i < Bytes / 4; ++i)
    memory[i] = kgen_poison_mix(pattern + i);
  __syncthreads();
  if (threadIdx.x == 0) {
    unsigned long long begin, now;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
    atomicAdd(arrived, 1u);
    do
      asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
    while (*(volatile unsigned *)arrived < gridDim.x && now - begin < 2000000);
  }
  __syncthreads();
}
#define KGEN_TRUSTED_LOCAL(bytes)                                                                                      \
  extern "C" __global__ void __launch_bounds__(1024, 2)                                                                \
      kgen_trusted_local_##bytes(unsigned pattern, unsigned *arrived) {                                                \
    scrubLocal<bytes>(pattern, arrived);                                                                               \
  }
KGEN_TRUSTED_LOCAL(2048)
KGEN_TRUSTED_LOCAL(8192)
KGEN_TRUSTED_LOCAL(32768)
KGEN_TRUSTED_LOCAL(131072)

/// Takes NANOSECONDS, and the launch.
extern "C" __global__ void kgen_trusted_wait(unsigned long long nanoseconds) {
  unsigned long long begin, now;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(begin));
  do
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(now));
  while (now - begin < nanoseconds);
}
