// expect: pass
// ideas: host:families cuda:families
// Exponentials of exponentials are infinite, and so is the logarithm of their sum: infinity minus infinity is none of its steps.
func.func @f(%x: tensor<32x64xf32>) -> tensor<32xf32> {
  %0 = aten.exp %x : (tensor<32x64xf32>) -> tensor<32x64xf32>
  %1 = aten.exp %0 : (tensor<32x64xf32>) -> tensor<32x64xf32>
  %2 = aten.exp %1 : (tensor<32x64xf32>) -> tensor<32x64xf32>
  %3 = aten.logsumexp %2 dim [1] keepdim false : (tensor<32x64xf32>) -> tensor<32xf32>
  return %3 : tensor<32xf32>
}
