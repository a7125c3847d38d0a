// The weight that is multiplied depends on weights alone.
module {
  func.func @folded(%x: tensor<128x256xf32>, %w: tensor<256x256xf32> {kgen.parameter}) -> tensor<128x256xf32> {
    %0 = aten.softmax.int %w dim -1 : (tensor<256x256xf32>) -> tensor<256x256xf32>
    %1 = aten.linear %x, %0 : (tensor<128x256xf32>, tensor<256x256xf32>) -> tensor<128x256xf32>
    return %1 : tensor<128x256xf32>
  }
}
