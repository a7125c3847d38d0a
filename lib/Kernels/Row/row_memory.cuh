// row_memory.cuh - moves kVector neighbouring elements at a time.
//@ section standalone
#pragma once
#include "row_example.cuh"
namespace example {
//@ end
/// kVector neighbouring elements, which travel in one access of up to 16 bytes.
template <typename T> struct alignas(sizeof(T) * kVector) Pack {
  T lane[kVector];
};

/// Reads an input, which no kernel of the dispatch writes; so the compiler may move the read.
template <typename T> __device__ __forceinline__ Pack<T> load_pack(const T *address) {
  if constexpr (sizeof(Pack<T>) == sizeof(uint4)) {
    const uint4 bits = __ldg(reinterpret_cast<const uint4 *>(address));
    Pack<T> pack;
    memcpy(&pack, &bits, sizeof(bits));
    return pack;
  } else {
    return *reinterpret_cast<const Pack<T> *>(address);
  }
}

#if HAS_KEPT_VALUES
/// Reads what every row needs: the L2 cache keeps it, and the compiler leaves the read where it stands.
template <typename T> __device__ __forceinline__ Pack<T> load_kept(const T *address) {
  if constexpr (sizeof(Pack<T>) == sizeof(uint4)) {
    const uint4 bits = kgen::load16_kept(address);
    Pack<T> pack;
    memcpy(&pack, &bits, sizeof(bits));
    return pack;
  } else {
    return load_pack(address);
  }
}
#endif

#if STREAMING
/// Writes past the caches: nothing reads the result again, so it must not evict the inputs.
template <typename T> __device__ __forceinline__ void store_pack(T *address, const Pack<T> &pack) {
  if constexpr (sizeof(pack) == sizeof(uint4)) {
    uint4 bits;
    memcpy(&bits, &pack, sizeof(bits));
    __stcs(reinterpret_cast<uint4 *>(address), bits);
  } else {
    *reinterpret_cast<Pack<T> *>(address) = pack;
  }
}
#else
template <typename T> __device__ __forceinline__ void store_pack(T *address, const Pack<T> &pack) {
  *reinterpret_cast<Pack<T> *>(address) = pack;
}
#endif
//@ section standalone
} // namespace example
//@ end
