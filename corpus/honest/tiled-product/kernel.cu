extern "C" __global__ void product(const float *a, const float *b, float *c) {
  __shared__ float ta[16][16], tb[16][16];
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int k0 = 0; k0 < 64; k0 += 16) {
    ta[threadIdx.y][threadIdx.x] = a[row * 64 + k0 + threadIdx.x];
    tb[threadIdx.y][threadIdx.x] = b[(k0 + threadIdx.y) * 48 + column];
    __syncthreads();
    for (int k = 0; k < 16; ++k)
      sum = fmaf(ta[threadIdx.y][k], tb[k][threadIdx.x], sum);
    __syncthreads();
  }
  c[row * 48 + column] = sum;
}
