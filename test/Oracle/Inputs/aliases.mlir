// case: results that share buffers
// inputs: first
// expect:
//   1 0 0 0 0 0
// expect:
//   2 1 1 1 1 1
// expect:
//   2 1 1 1 1 1
// expect:
//   1 1 1
// expect:
//   2 1 1 1 1 1
// expect:
//   0 0 0
// expect:
//   1 0 0 0 0 0
func.func @f(%x: tensor<2x3xf32>)
    -> (tensor<6xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3x2xf32>, tensor<1x3xf32>, tensor<2x3xf32> {kgen.name = "x"}) {
  %0 = aten.view %x size [6] : (tensor<2x3xf32>) -> tensor<6xf32>
  %1 = aten.add.Scalar %x {other = 1.0} : (tensor<2x3xf32>) -> tensor<2x3xf32>
  %2 = aten.select.int %1 dim 0 index 1 : (tensor<2x3xf32>) -> tensor<3xf32>
  %3 = aten.view %1 size [3, 2] : (tensor<2x3xf32>) -> tensor<3x2xf32>
  %4 = aten.narrow %x dim 0 start 1 length 1 : (tensor<2x3xf32>) -> tensor<1x3xf32>
  return %0, %1, %1, %2, %3, %4, %x
      : tensor<6xf32>, tensor<2x3xf32>, tensor<2x3xf32>, tensor<3xf32>, tensor<3x2xf32>, tensor<1x3xf32>, tensor<2x3xf32>
}
