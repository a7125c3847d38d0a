//===- gemm_groups.cuh - Which rows a block of a product of groups has -----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Taken into a template with tiles of BM of M rows, for a product whose rows
// are in GROUPS groups, each with a matrix of its own. Group g ends before the
// g-th smallest of `ends`, and the last one at the last row.
//
//===----------------------------------------------------------------------===//
// Rows from `first` to `end`, where the group of `matrix` ends.
struct Rows {
  int matrix, first, end;
};

// The rows of the tile number `index` along m; none where there are fewer tiles. SORTED is the block's, of GROUPS.
__device__ __forceinline__ Rows rows_of(const Position *__restrict__ ends, int index, int *sorted) {
  for (int i = threadIdx.x; i < GROUPS; i += THREADS) {
    const Position end = ends[i];
    int before = 0;
#pragma unroll 8
    for (int j = 0; j < GROUPS; ++j) {
      const Position other = ends[j];
      before += other < end || (other == end && j < i);
    }
    sorted[before] = end < 0 ? 0 : end < M ? int(end) : M;
  }
  __syncthreads();
  int first = 0;
  for (int matrix = 0; matrix < GROUPS; ++matrix) {
    const int end = matrix == GROUPS - 1 ? M : sorted[matrix];
    const int tiles = (end - first + BM - 1) / BM;
    if (index < tiles)
      return {matrix, first + index * BM, end};
    index -= tiles;
    first = end;
  }
  return {0, M, M};
}
