extern "C" __global__ void twice(const float *x, float *y) {
  int i = (blockIdx.x * 211 + threadIdx.x) * 4;
  if (i + 3 < 4093) {
    float4 v = *reinterpret_cast<const float4 *>(x + i);
    *reinterpret_cast<float4 *>(y + i) = make_float4(2.0f * v.x, 2.0f * v.y, 2.0f * v.z, 2.0f * v.w);
  } else {
    for (int k = i; k < 4096 && k < i + 4; ++k)
      y[k] = 2.0f * x[k];
  }
}
