// expect: pass
// ideas: host:row-vectors cuda:row-vectors host:second-read cuda:second-read
// A row of which nothing but its minimum is stored: kept on the chip, which is no longer offered for it, it did not compile.
func.func @min_on_chip(%x: tensor<6x5x3x8x6xf32> {kgen.init = "normal(0, 1)"}) -> tensor<f32> {
  %0 = aten.min %x : (tensor<6x5x3x8x6xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
