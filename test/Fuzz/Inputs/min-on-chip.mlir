// expect: pass
// ideas: host:row-on-chip cuda:row-on-chip
// A row kept on the chip, of which nothing but its minimum is stored.
func.func @min_on_chip(%x: tensor<6x5x3x8x6xf32> {kgen.init = "normal(0, 1)"}) -> tensor<f32> {
  %0 = aten.min %x : (tensor<6x5x3x8x6xf32>) -> tensor<f32>
  return %0 : tensor<f32>
}
