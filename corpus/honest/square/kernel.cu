extern "C" __global__ void square(const float *a, const float *b, float *c) {
  int row = blockIdx.y * 16 + threadIdx.y, column = blockIdx.x * 16 + threadIdx.x;
  float sum = 0.0f;
  for (int k = 0; k < 640; ++k)
    sum = fmaf(a[row * 640 + k], b[k * 640 + column], sum);
  c[row * 640 + column] = sum;
}
