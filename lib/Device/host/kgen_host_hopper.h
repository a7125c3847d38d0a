//===- kgen_host_hopper.h - What sm_90 instructions do, on the host -------===//
//
// The hooks that kgen_hopper.cuh calls. Shared addresses are offsets into the
// block's dynamic shared memory. Copies happen when somebody waits at their
// barrier, stores and products when their group is waited for, each in the
// order of issue; a thread that waits for what cannot come is a deadlock.
// Layouts are those of the PTX ISA, "Asynchronous warpgroup level matrix
// instructions" and "Tensors".
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_HOST_HOPPER_H
#define KGEN_HOST_HOPPER_H

#include "kgen_host_abi.h"

enum KGenHostWgmmaType { KGEN_HOST_WGMMA_F16, KGEN_HOST_WGMMA_BF16, KGEN_HOST_WGMMA_TF32 };

namespace kgen_host {

/// Ends the block with a message that names the calling thread.
template <class... A> [[noreturn]] static __attribute__((noinline, cold)) void hopperFault(const char *format, A... a) {
  char name[64];
  nameThread(name, sizeof name, block.current);
  int n = snprintf(block.message, sizeof block.message, "thread %s ", name);
  snprintf(block.message + n, sizeof block.message - size_t(n), format, a...);
  block.failed = true;
  leaveToMain();
  __builtin_unreachable();
}

//===--- Barriers ---------------------------------------------------------===//

/// The 64 bits of a barrier. The card's own layout is opaque too.
struct MBarrier {
  uint64_t phase : 1, pending : 12, expected : 12, magic : 11;
  int64_t bytes : 28; ///< still to come; negative when more came than was announced
};
static_assert(sizeof(MBarrier) == 8, "a barrier is 8 bytes");
enum { MBarrierMagic = 0x5a3 };

static inline MBarrier *mbarrier(uint64_t *bar) {
  if (reinterpret_cast<uintptr_t>(bar) % 8)
    hopperFault("uses a barrier that is not aligned to 8 bytes");
  MBarrier *b = reinterpret_cast<MBarrier *>(bar);
  if (b->magic != MBarrierMagic)
    hopperFault("uses a barrier that is not initialised");
  return b;
}

static inline void settle(MBarrier *b) {
  if (b->pending || b->bytes)
    return;
  b->phase ^= 1;
  b->pending = b->expected;
  wakeEvent(b);
}

//===--- Copies by tensor map ---------------------------------------------===//

/// One queued copy to shared memory: a box of a tensor, or plain bytes from `source`.
struct BulkCopy {
  KGenHostTensorMap map;
  char *shared;
  char *global; ///< plain copies only
  MBarrier *bar;
  unsigned bytes;
  int at[5];
};

struct BulkQueue {
  BulkCopy *items;
  unsigned count, capacity;
  BulkCopy &add() {
    if (count == capacity)
      grow(items, count, capacity, 16);
    return items[count++];
  }
};

/// The shared address of byte OFFSET under a swizzle: 0 none, 1 128 bytes, 2 64, 3 32.
static inline size_t swizzled(size_t offset, int swizzle) {
  static const unsigned masks[4] = {0, 7, 3, 1};
  return offset ^ (offset >> 7 & masks[swizzle]) << 4;
}

static inline unsigned boxBytes(const KGenHostTensorMap &map) {
  unsigned bytes = map.elementBytes;
  for (unsigned d = 0; d < map.rank; ++d)
    bytes *= map.box[d];
  return bytes;
}

/// Rounds floats to 10 bits of mantissa, to nearest, ties to even, as a copy by a map of tf32 does; infinities and NaN
/// stay.
static inline void roundToTf32(char *floats, size_t bytes) {
  for (size_t at = 0; at < bytes; at += 4) {
    unsigned bits;
    memcpy(&bits, floats + at, 4);
    if ((bits & 0x7f800000u) != 0x7f800000u)
      bits = (bits + 0xfffu + (bits >> 13 & 1)) & 0xffffe000u;
    memcpy(floats + at, &bits, 4);
  }
}

/// Moves a box between the tensor and shared memory, where it lies dense and swizzled.
static void moveBox(const BulkCopy &copy, bool store) {
  const KGenHostTensorMap &map = copy.map;
  const size_t element = map.elementBytes, rowBytes = map.box[0] * element;
  const size_t base = size_t(copy.shared - reinterpret_cast<char *>(kgen_host_dynamic_shared));
  // The part of a row that lies inside the tensor.
  int64_t low = copy.at[0] < 0 ? -int64_t(copy.at[0]) : 0;
  int64_t high = int64_t(map.dims[0]) - copy.at[0];
  high = high > int64_t(map.box[0]) ? map.box[0] : high;
  unsigned index[5] = {};
  for (size_t row = 0;; ++row) {
    bool inside = low < high;
    const char *line = reinterpret_cast<const char *>(map.base);
    for (unsigned d = 1; d < map.rank; ++d) {
      int64_t i = int64_t(copy.at[d]) + index[d];
      inside &= i >= 0 && i < int64_t(map.dims[d]);
      line += i * int64_t(map.strides[d - 1]);
    }
    const size_t begin = inside ? size_t(low) * element : 0, end = inside ? size_t(high) * element : 0;
    for (size_t chunk = 0; chunk < rowBytes; chunk += 16) {
      char *there =
          reinterpret_cast<char *>(kgen_host_dynamic_shared) + swizzled(base + row * rowBytes + chunk, map.swizzle);
      size_t from = begin > chunk ? begin : chunk, to = end < chunk + 16 ? end : chunk + 16;
      char *global = const_cast<char *>(line) + int64_t(copy.at[0]) * int64_t(element);
      if (store) {
        if (from < to)
          memcpy(global + from, there + (from - chunk), to - from);
        continue;
      }
      size_t width = rowBytes - chunk < 16 ? rowBytes - chunk : 16;
      if (!(from == chunk && to == chunk + 16))
        memset(there, 0, width);
      if (from < to)
        memcpy(there + (from - chunk), global + from, to - from);
      if (map.tf32)
        roundToTf32(there, width);
    }
    unsigned d = 1;
    while (d < map.rank && ++index[d] == map.box[d])
      index[d++] = 0;
    if (d >= map.rank)
      return;
  }
}

//===--- Warpgroup products -----------------------------------------------===//

struct Product {
  float *d;
  uint64_t a, b;
  unsigned registers[4];
  unsigned n, group;
  unsigned char type, transA, transB, fromRegisters, accumulate;
};

/// What one thread has in flight.
struct HopperThread {
  Product *products;
  unsigned productCount, productCapacity, productGroup;
  BulkQueue stores;
  unsigned storeGroup, clusterPhase;
};

/// The state of the running block beside its threads'.
static struct Hopper {
  BulkQueue loads;
  struct {
    unsigned arrived, expected;
    unsigned coming, warps; ///< warps that have arrived, and those that met there last
    unsigned since;         ///< and how many __syncthreads were over then
  } named[16];
  unsigned clusterArrived, clusterPhase;
  unsigned meeting[MaxThreads / 128];
  HopperThread thread[MaxThreads];
} hopper;

static inline float wgmmaValue(const unsigned char *at, unsigned type) {
  unsigned bits = 0;
  float value;
  if (type == KGEN_HOST_WGMMA_TF32) {
    memcpy(&bits, at, 4);
    bits &= 0xffffe000u; // what the tensor core reads
  } else {
    unsigned short half;
    memcpy(&half, at, 2);
    if (type == KGEN_HOST_WGMMA_F16) {
      _Float16 h;
      memcpy(&h, &half, 2);
      return float(h);
    }
    bits = unsigned(half) << 16;
  }
  memcpy(&value, &bits, 4);
  return value;
}

/// Element (i, k) of an operand of ROWS rows (M or N) by K, through its descriptor.
static void readOperand(float *out, uint64_t descriptor, unsigned rows, unsigned type, bool mnMajor) {
  const unsigned size = type == KGEN_HOST_WGMMA_TF32 ? 4 : 2, depth = 32 / size;
  const size_t start = (descriptor & 0x3fff) << 4, lbo = (descriptor >> 16 & 0x3fff) << 4,
               sbo = (descriptor >> 32 & 0x3fff) << 4;
  const int swizzle = int(descriptor >> 62);
  if (descriptor >> 49 & 7)
    hopperFault("has a matrix descriptor with a base offset, which device host does not model");
  if (mnMajor && size != 2)
    hopperFault("gives tf32 an operand that is not K-major");
  static const unsigned spans[4] = {16, 128, 64, 32}; // bytes of a swizzle atom's row
  const unsigned span = spans[swizzle];
  for (unsigned i = 0; i < rows; ++i)
    for (unsigned k = 0; k < depth; ++k) {
      size_t at;
      if (!mnMajor) {
        at = start + i / 8 * sbo + i % 8 * span;
        at += swizzle ? k * size : k * size / 16 * lbo + k * size % 16;
      } else if (swizzle) {
        at = start + i * size / span * lbo + i * size % span + k / 8 * sbo + k % 8 * span;
      } else {
        at = start + i / 8 * sbo + i % 8 * size + k / 8 * lbo + k % 8 * 16;
      }
      at = swizzled(at, swizzle);
      if (at + size > KGEN_HOST_DYNAMIC_SHARED)
        hopperFault("has a matrix descriptor that leaves shared memory (offset %zu)", at);
      out[size_t(i) * depth + k] = wgmmaValue(kgen_host_dynamic_shared + at, type);
    }
}

typedef float Eight __attribute__((vector_size(32)));

/// One product for the 128 threads from FIRST on; their queues agree at position P.
static void multiply(unsigned first, unsigned p, Eight *sumsOf, bool gather, bool scatter) {
  const Product &product = hopper.thread[first].products[p];
  const unsigned n = product.n, depth = product.type == KGEN_HOST_WGMMA_TF32 ? 8 : 16;
  static float a[64 * 16], b[256 * 16];
  static Eight transposed[16 * 256 / 8];
  float *bt = reinterpret_cast<float *>(transposed), *sums = reinterpret_cast<float *>(sumsOf);
  for (unsigned t = 0; t < 128; ++t) {
    const HopperThread &other = hopper.thread[first + t];
    if (p >= other.productCount || other.products[p].a != product.a || other.products[p].b != product.b ||
        other.products[p].n != n || other.products[p].accumulate != product.accumulate)
      hopperFault("and the others of its warpgroup do not issue the same products");
    if (!product.fromRegisters)
      continue;
    const unsigned row = t / 32 * 16 + t % 32 / 4, per = 4 / (32 / depth); // values to a register
    for (unsigned r = 0; r < 4; ++r)
      for (unsigned v = 0; v < per; ++v)
        a[(row + 8 * (r & 1)) * depth + 4 * per * (r >> 1) + per * (t % 4) + v] =
            wgmmaValue(reinterpret_cast<const unsigned char *>(&other.products[p].registers[r]) + v * (32 / depth),
                       product.type);
  }
  if (!product.fromRegisters)
    readOperand(a, product.a, 64, product.type, product.transA);
  readOperand(b, product.b, n, product.type, product.transB);
  for (unsigned i = 0; i < n; ++i)
    for (unsigned k = 0; k < depth; ++k)
      bt[k * n + i] = b[i * depth + k];
  auto forFragments = [&](auto f) {
    for (unsigned t = 0; t < 128; ++t) {
      float *d = hopper.thread[first + t].products[p].d;
      float *row = sums + size_t(t / 32 * 16 + t % 32 / 4) * n + 2 * (t % 4);
      for (unsigned j = 0; j < n / 8; ++j)
        for (unsigned high = 0; high < 2; ++high)
          for (unsigned v = 0; v < 2; ++v)
            f(d[4 * j + 2 * high + v], row[size_t(8 * high) * n + 8 * j + v]);
    }
  };
  if (!product.accumulate)
    memset(sums, 0, sizeof(float) * 64 * n);
  else if (gather)
    forFragments([](float &d, float &sum) { sum = d; });
  // Vectors by hand, as in mma.h: n is a multiple of 8.
  for (unsigned i = 0; i < 64; ++i)
    for (unsigned j = 0; j < n / 8; ++j) {
      Eight sum = sumsOf[i * (n / 8) + j];
      for (unsigned k = 0; k < depth; ++k)
        sum += a[i * depth + k] * transposed[k * (n / 8) + j];
      sumsOf[i * (n / 8) + j] = sum;
    }
  if (scatter)
    forFragments([](float &d, float &sum) { d = sum; });
}

/// Clears what the last block left.
static void hopperBegin() {
  hopper.loads.count = 0;
  hopper.clusterArrived = hopper.clusterPhase = 0;
  memset(hopper.named, 0, sizeof hopper.named);
  memset(hopper.meeting, 0, sizeof hopper.meeting);
  for (unsigned i = 0; i < block.count; ++i) {
    HopperThread &thread = hopper.thread[i];
    thread.productCount = thread.productGroup = thread.stores.count = thread.storeGroup = thread.clusterPhase = 0;
  }
}

/// False with a message: the block left copies behind that still use its shared memory.
static bool hopperEnd() {
  if (hopper.loads.count) {
    snprintf(block.message, sizeof block.message, "the block ends with %u copies to shared memory in flight",
             hopper.loads.count);
    return false;
  }
  for (unsigned i = 0; i < block.count; ++i)
    if (hopper.thread[i].stores.count) {
      char name[64];
      nameThread(name, sizeof name, i);
      snprintf(block.message, sizeof block.message,
               "thread %s ends without waiting for its stores from shared memory (bulk_wait_read)", name);
      return false;
    }
  return true;
}

} // namespace kgen_host

//===--- The hooks --------------------------------------------------------===//

static inline uint64_t kgen_host_shared_offset(const void *pointer) {
  size_t offset = size_t(static_cast<const unsigned char *>(pointer) - kgen_host_dynamic_shared);
  if (offset >= KGEN_HOST_DYNAMIC_SHARED)
    kgen_host::hopperFault("names an operand outside dynamic shared memory");
  return offset;
}

static inline void kgen_host_require_one_block(unsigned mask) {
  if (mask != 1)
    kgen_host::hopperFault("reaches into another block of its cluster, which device host does not model");
}

static inline bool kgen_host_elect_one() { return kgen_host::block.current % 32 == 0; }

static inline void kgen_host_mbar_init(uint64_t *bar, unsigned count) {
  using namespace kgen_host;
  if (reinterpret_cast<uintptr_t>(bar) % 8 || count < 1 || count > 4095)
    hopperFault("initialises a barrier of %u arrivals at %p: expected 1 to 4095 and 8-byte alignment", count,
                (void *)bar);
  MBarrier b = {};
  b.pending = b.expected = count;
  b.magic = MBarrierMagic;
  memcpy(bar, &b, 8);
}

static void kgen_host_mbar_update(uint64_t *bar, unsigned arrivals, unsigned bytes) {
  using namespace kgen_host;
  MBarrier *b = mbarrier(bar);
  b->bytes += bytes;
  if (arrivals > b->pending)
    hopperFault("arrives at a barrier more often than its %u arrivals", unsigned(b->expected));
  b->pending -= arrivals;
  if (arrivals)
    settle(b);
}

/// Makes the copies that BAR counts.
static void kgen_host_mbar_receive(kgen_host::MBarrier *bar) {
  using namespace kgen_host;
  unsigned kept = 0;
  for (unsigned i = 0; i < hopper.loads.count; ++i) {
    BulkCopy &copy = hopper.loads.items[i];
    if (copy.bar != bar) {
      hopper.loads.items[kept++] = copy;
      continue;
    }
    if (copy.global)
      memcpy(copy.shared, copy.global, copy.bytes);
    else
      moveBox(copy, false);
    bar->bytes -= copy.bytes;
  }
  bool any = kept != hopper.loads.count;
  hopper.loads.count = kept;
  if (any)
    settle(bar);
}

static bool kgen_host_mbar_test(uint64_t *bar, unsigned parity) {
  using namespace kgen_host;
  MBarrier *b = mbarrier(bar);
  if (b->phase == (parity & 1))
    kgen_host_mbar_receive(b);
  if (b->phase != (parity & 1))
    return true;
  int to = nextReady(block.current); // a loop around this call must let others run
  if (to >= 0)
    switchTo(unsigned(to));
  return b->phase != (parity & 1);
}

static __attribute__((noinline)) void kgen_host_mbar_wait(uint64_t *bar, unsigned parity) {
  using namespace kgen_host;
  MBarrier *b = mbarrier(bar);
  if (b->phase == (parity & 1))
    kgen_host_mbar_receive(b);
  while (b->phase == (parity & 1)) {
    block.eventDetail[block.current] = parity & 1;
    waitEvent(b, "an mbarrier");
  }
}

static __attribute__((noinline)) void kgen_host_named_barrier(int id, int threads, bool wait) {
  using namespace kgen_host;
  if (id < 0 || id > 15 || threads < 32 || threads % 32 || unsigned(threads) > block.count)
    hopperFault("uses named barrier %d of %d threads: expected 0 to 15, and a multiple of 32 up to the block", id,
                threads);
  auto &named = hopper.named[id];
  if (named.arrived && named.expected != unsigned(threads))
    hopperFault("comes to named barrier %d with %d threads, others came with %u", id, threads, named.expected);
  named.expected = unsigned(threads);
  named.coming |= 1u << (block.current / 32);
  if (++named.arrived < unsigned(threads)) {
    block.eventDetail[block.current] = unsigned(id);
    if (wait)
      waitEvent(&named, "a named barrier");
    return;
  }
  // On a card the ones may come while the others wait.
  if (named.warps && named.since == block.barriers && !(named.coming & named.warps))
    hopperFault("meets at named barrier %d in warps %#x, where warps %#x met before: nothing keeps them apart", id,
                named.coming, named.warps);
  named.warps = named.coming;
  named.since = block.barriers;
  named.arrived = named.coming = 0;
  wakeEvent(&named);
}

static void kgen_host_queue_load(kgen_host::BulkCopy copy) {
  using namespace kgen_host;
  if (hasWaiters(copy.bar)) {
    hopper.loads.add() = copy;
    kgen_host_mbar_receive(copy.bar);
    return;
  }
  hopper.loads.add() = copy;
}

static void kgen_host_check_box(const kgen_host::BulkCopy &copy, int rank) {
  using namespace kgen_host;
  if (copy.map.magic != KGEN_HOST_TENSOR_MAP_MAGIC)
    hopperFault("copies by a tensor map that the launch plan did not make");
  if (int(copy.map.rank) != rank)
    hopperFault("copies %d coordinates by a tensor map of rank %u", rank, unsigned(copy.map.rank));
  uint64_t offset = kgen_host_shared_offset(copy.shared);
  if (offset % 128 || offset + copy.bytes > KGEN_HOST_DYNAMIC_SHARED)
    hopperFault("copies a box of %u bytes at shared offset %zu: expected a multiple of 128 with room behind it",
                copy.bytes, size_t(offset));
}

static void kgen_host_tma_load(void *smem, const unsigned long long *map, uint64_t *bar, const int (&at)[5], int rank) {
  using namespace kgen_host;
  BulkCopy copy;
  memcpy(&copy.map, map, sizeof copy.map);
  copy.shared = static_cast<char *>(smem);
  copy.global = nullptr;
  copy.bar = mbarrier(bar);
  copy.bytes = boxBytes(copy.map);
  memcpy(copy.at, at, sizeof copy.at);
  kgen_host_check_box(copy, rank);
  kgen_host_queue_load(copy);
}

static void kgen_host_tma_store(const unsigned long long *map, const void *smem, const int (&at)[5], int rank) {
  using namespace kgen_host;
  HopperThread &self = hopper.thread[block.current];
  BulkCopy copy;
  memcpy(&copy.map, map, sizeof copy.map);
  if (copy.map.tf32)
    hopperFault("stores by a tensor map of tf32, which is for copies to shared memory");
  copy.shared = static_cast<char *>(const_cast<void *>(smem));
  copy.global = nullptr;
  copy.bar = reinterpret_cast<MBarrier *>(uintptr_t(self.storeGroup));
  copy.bytes = boxBytes(copy.map);
  memcpy(copy.at, at, sizeof copy.at);
  kgen_host_check_box(copy, rank);
  self.stores.add() = copy;
}

static void kgen_host_check_bulk(const void *global, const void *smem, unsigned bytes) {
  if (reinterpret_cast<uintptr_t>(global) % 16 || reinterpret_cast<uintptr_t>(smem) % 16 || bytes % 16)
    kgen_host::hopperFault("makes a bulk copy of %u bytes: addresses and size have to be multiples of 16", bytes);
}

static void kgen_host_bulk_load(void *smem, const void *src, unsigned bytes, uint64_t *bar) {
  using namespace kgen_host;
  kgen_host_check_bulk(src, smem, bytes);
  BulkCopy copy = {};
  copy.shared = static_cast<char *>(smem);
  copy.global = static_cast<char *>(const_cast<void *>(src));
  copy.bar = mbarrier(bar);
  copy.bytes = bytes;
  kgen_host_queue_load(copy);
}

static void kgen_host_bulk_store(void *dst, const void *smem, unsigned bytes) {
  using namespace kgen_host;
  kgen_host_check_bulk(dst, smem, bytes);
  HopperThread &self = hopper.thread[block.current];
  BulkCopy copy = {};
  copy.shared = static_cast<char *>(const_cast<void *>(smem));
  copy.global = static_cast<char *>(dst);
  copy.bar = reinterpret_cast<MBarrier *>(uintptr_t(self.storeGroup));
  copy.bytes = bytes;
  self.stores.add() = copy;
}

static inline void kgen_host_bulk_commit() { ++kgen_host::hopper.thread[kgen_host::block.current].storeGroup; }

static void kgen_host_bulk_wait(unsigned pending) {
  using namespace kgen_host;
  HopperThread &self = hopper.thread[block.current];
  unsigned kept = 0;
  for (unsigned i = 0; i < self.stores.count; ++i) {
    const BulkCopy &copy = self.stores.items[i];
    if (reinterpret_cast<uintptr_t>(copy.bar) + pending >= self.storeGroup)
      self.stores.items[kept++] = copy;
    else if (copy.global)
      memcpy(copy.global, copy.shared, copy.bytes);
    else
      moveBox(copy, true);
  }
  self.stores.count = kept;
}

static void kgen_host_wgmma(float *d, unsigned n, unsigned type, uint64_t a, const unsigned *registers, int transA,
                            uint64_t b, int transB, bool accumulate) {
  using namespace kgen_host;
  HopperThread &self = hopper.thread[block.current];
  if (self.productCount == self.productCapacity)
    grow(self.products, self.productCount, self.productCapacity, 8);
  Product &product = self.products[self.productCount++];
  product = {d, a, b, {}, n, self.productGroup, (unsigned char)type, transA != 0, transB != 0, registers != nullptr,
             accumulate};
  if (registers)
    memcpy(product.registers, registers, sizeof product.registers);
}

static inline void kgen_host_wgmma_commit() { ++kgen_host::hopper.thread[kgen_host::block.current].productGroup; }

/// The warpgroup meets; the last thread to come computes for all.
static __attribute__((noinline)) void kgen_host_wgmma_wait(unsigned pending) {
  using namespace kgen_host;
  const unsigned first = block.current / 128 * 128;
  if (first + 128 > block.count)
    hopperFault("waits for products in a warpgroup that is not whole");
  unsigned &meeting = hopper.meeting[first / 128];
  if (++meeting < 128) {
    waitEvent(&meeting, "the products of its warpgroup");
    return;
  }
  meeting = 0;
  HopperThread &self = hopper.thread[block.current];
  unsigned done = 0;
  while (done < self.productCount && self.products[done].group + pending < self.productGroup)
    ++done;
  static Eight sums[64 * 256 / 8];
  for (unsigned p = 0; p < done; ++p) {
    const Product *products = hopper.thread[first].products;
    bool gather = p == 0 || products[p - 1].d != products[p].d;
    bool scatter = p + 1 == done || products[p + 1].d != products[p].d;
    multiply(first, p, sums, gather, scatter);
  }
  for (unsigned t = 0; t < 128 && done; ++t) {
    HopperThread &thread = hopper.thread[first + t];
    thread.productCount -= done;
    memmove(thread.products, thread.products + done, thread.productCount * sizeof(Product));
  }
  wakeEvent(&meeting);
}

static void kgen_host_cluster_arrive() {
  using namespace kgen_host;
  hopper.thread[block.current].clusterPhase = hopper.clusterPhase;
  if (++hopper.clusterArrived < block.count)
    return;
  hopper.clusterArrived = 0;
  ++hopper.clusterPhase;
  wakeEvent(&hopper.clusterPhase);
}

static void kgen_host_cluster_wait() {
  using namespace kgen_host;
  while (hopper.clusterPhase == hopper.thread[block.current].clusterPhase)
    waitEvent(&hopper.clusterPhase, "the barrier of its cluster");
}

#endif
