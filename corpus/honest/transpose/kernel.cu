extern "C" __global__ void flip(const float *x, float *y) {
  __shared__ float tile[32][33];
  int column = blockIdx.x * 32 + threadIdx.x, row = blockIdx.y * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (row + k < 70 && column < 50)
      tile[threadIdx.y + k][threadIdx.x] = x[(row + k) * 50 + column];
  __syncthreads();
  column = blockIdx.y * 32 + threadIdx.x;
  row = blockIdx.x * 32 + threadIdx.y;
  for (int k = 0; k < 32; k += 8)
    if (row + k < 50 && column < 70)
      y[(row + k) * 70 + column] = tile[threadIdx.x][threadIdx.y + k];
}
