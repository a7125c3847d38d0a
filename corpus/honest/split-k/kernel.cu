extern "C" __global__ void parts(const float *a, const float *b, float *part) {
  int row = blockIdx.x, column = threadIdx.x, split = blockIdx.y;
  float sum = 0.0f;
  for (int k = split * 16; k < split * 16 + 16; ++k)
    sum += a[row * 64 + k] * b[k * 48 + column];
  part[(split * 48 + row) * 48 + column] = sum;
}

extern "C" __global__ void join(const float *part, float *c) {
  int at = blockIdx.x * 48 + threadIdx.x;
  c[at] = part[at] + part[2304 + at] + part[4608 + at] + part[6912 + at];
}
