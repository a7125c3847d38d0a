extern "C" __global__ void square(const float *a, const float *b, float *c) {
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < 512; ++k)
    sum = fmaf(a[row * 512 + k], b[k * 512 + column], sum);
  c[row * 512 + column] = sum;
}
