extern "C" __global__ void logsigmoid(const float *x, float *y) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < 4096)
    y[i] = logf(1.0f / (1.0f + expf(-x[i])));
}
