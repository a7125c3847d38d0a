//===- mma.h - nvcuda::wmma on the host -----------------------------------===//
//
// A fragment's elements are spread evenly over the 32 lanes, row by row: like
// on the device, which element a lane holds is not specified, and fragments of
// one kind agree. The last lane to arrive at mma_sync computes the product of
// the whole warp in fp32, or fp16 where the accumulator is half.
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_HOST_MMA_H
#define KGEN_HOST_MMA_H

#include "cuda_bf16.h"
#include "cuda_fp16.h"

namespace nvcuda {
namespace wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };
namespace precision {
struct tf32 {};
} // namespace precision

template <class T> struct storage_of { typedef T type; };
template <> struct storage_of<precision::tf32> { typedef float type; };

template <class Use, int M, int N, int K> struct extents;
template <int M, int N, int K> struct extents<matrix_a, M, N, K> { enum { rows = M, columns = K }; };
template <int M, int N, int K> struct extents<matrix_b, M, N, K> { enum { rows = K, columns = N }; };
template <int M, int N, int K> struct extents<accumulator, M, N, K> { enum { rows = M, columns = N }; };

template <class Use, int M, int N, int K, class T, class Layout = void>
class fragment {
public:
  typedef typename storage_of<T>::type element_type;
  typedef element_type storage_element_type;
  enum { rows = extents<Use, M, N, K>::rows, columns = extents<Use, M, N, K>::columns };
  static_assert(rows * columns % 32 == 0, "a warp holds the fragment in equal shares");
  enum { num_elements = rows * columns / 32, num_storage_elements = num_elements };
  element_type x[num_elements];
};

template <class Use, int M, int N, int K, class T, class L, class V>
static inline void fill_fragment(fragment<Use, M, N, K, T, L> &f, V value) {
  for (int i = 0; i < f.num_elements; ++i)
    f.x[i] = typename fragment<Use, M, N, K, T, L>::element_type(value);
}

template <class F, class T>
static inline void kgen_load(F &f, const T *p, unsigned ld, bool rowMajor) {
  int first = kgen_host::lane() * F::num_elements;
  for (int i = 0; i < F::num_elements; ++i) {
    int row = (first + i) / F::columns, column = (first + i) % F::columns;
    f.x[i] = p[rowMajor ? row * size_t(ld) + column : column * size_t(ld) + row];
  }
}

template <class Use, int M, int N, int K, class T, class E>
static inline void load_matrix_sync(fragment<Use, M, N, K, T, row_major> &f, const E *p, unsigned ld) {
  kgen_load(f, p, ld, true);
}
template <class Use, int M, int N, int K, class T, class E>
static inline void load_matrix_sync(fragment<Use, M, N, K, T, col_major> &f, const E *p, unsigned ld) {
  kgen_load(f, p, ld, false);
}
template <int M, int N, int K, class T, class E>
static inline void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const E *p, unsigned ld, layout_t layout) {
  kgen_load(f, p, ld, layout == mem_row_major);
}

template <int M, int N, int K, class T, class E>
static inline void store_matrix_sync(E *p, const fragment<accumulator, M, N, K, T> &f, unsigned ld, layout_t layout) {
  typedef fragment<accumulator, M, N, K, T> F;
  int first = kgen_host::lane() * F::num_elements;
  for (int i = 0; i < F::num_elements; ++i) {
    int row = (first + i) / F::columns, column = (first + i) % F::columns;
    p[layout == mem_row_major ? row * size_t(ld) + column : column * size_t(ld) + row] = f.x[i];
  }
  __syncwarp(); // the other lanes may read what was stored
}

static inline float __float_to_tf32(float v) {
  unsigned u = __float_as_uint(v);
  if ((u & 0x7f800000u) != 0x7f800000u)
    u += 0x1000u; // nearest, ties away from zero, as cvt.rna
  return __uint_as_float(u & ~0x1fffu);
}

/// What the matrix unit reads of an operand: of a tf32 one the low 13 bits are ignored.
template <class T> static inline float kgen_operand(T v) { return (float)v; }
template <class T> struct kgen_reader { template <class V> static float read(V v) { return kgen_operand(v); } };
template <> struct kgen_reader<precision::tf32> {
  static float read(float v) { return __uint_as_float(__float_as_uint(v) & ~0x1fffu); }
};

template <int M, int N, int K, class TA, class LA, class TB, class LB, class TC, class TD>
static inline void mma_sync(fragment<accumulator, M, N, K, TD> &d, const fragment<matrix_a, M, N, K, TA, LA> &a,
                            const fragment<matrix_b, M, N, K, TB, LB> &b,
                            const fragment<accumulator, M, N, K, TC> &c) {
  typedef fragment<matrix_a, M, N, K, TA, LA> A;
  typedef fragment<matrix_b, M, N, K, TB, LB> B;
  typedef fragment<accumulator, M, N, K, TC> C;
  typedef fragment<accumulator, M, N, K, TD> D;
  struct Request {
    const A *a;
    const B *b;
    const C *c;
    D *d;
  } request = {&a, &b, &c, &d};
  kgen_host::warpCollective(
      ~0u, &request,
      [](void *lanes[32], void *) {
        // Rows as vectors: the compiler does not find them in the loops by itself.
        typedef float Row __attribute__((vector_size(4 * N)));
        float left[M * K];
        Row rightRows[K], sumRows[M];
        float *right = (float *)rightRows, *sum = (float *)sumRows;
        for (int lane = 0; lane < 32; ++lane) {
          Request *r = static_cast<Request *>(lanes[lane]);
          for (int i = 0; i < A::num_elements; ++i)
            left[lane * A::num_elements + i] = r ? kgen_reader<TA>::read(r->a->x[i]) : 0;
          for (int i = 0; i < B::num_elements; ++i)
            right[lane * B::num_elements + i] = r ? kgen_reader<TB>::read(r->b->x[i]) : 0;
          for (int i = 0; i < C::num_elements; ++i)
            sum[lane * C::num_elements + i] = r ? (float)r->c->x[i] : 0;
        }
        for (int m = 0; m < M; ++m) {
          Row s = sumRows[m];
          for (int k = 0; k < K; ++k)
            s += left[m * K + k] * rightRows[k];
          sumRows[m] = s;
        }
        for (int lane = 0; lane < 32; ++lane)
          if (Request *r = static_cast<Request *>(lanes[lane]))
            for (int i = 0; i < D::num_elements; ++i)
              r->d->x[i] = TD(sum[lane * D::num_elements + i]);
      },
      nullptr);
}

} // namespace wmma
} // namespace nvcuda

#endif
