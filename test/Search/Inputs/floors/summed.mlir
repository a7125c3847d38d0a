func.func @summed(%a: tensor<4096x4096xf32>, %b: tensor<4096x4096xf32>) -> tensor<4096xf32> {
  %0 = aten.mm %a, %b : (tensor<4096x4096xf32>, tensor<4096x4096xf32>) -> tensor<4096x4096xf32>
  %1 = aten.sum.dim_IntList %0 dim [1] : (tensor<4096x4096xf32>) -> tensor<4096xf32>
  return %1 : tensor<4096xf32>
}
