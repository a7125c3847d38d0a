// Two equal layers, a smaller one, and a softmax.
module {
  func.func @mlp(%x: tensor<128x512xf32>, %w0: tensor<512x512xf32> {kgen.parameter}, %b0: tensor<512xf32> {kgen.parameter},
                 %w1: tensor<512x512xf32> {kgen.parameter}, %b1: tensor<512xf32> {kgen.parameter},
                 %w2: tensor<256x512xf32> {kgen.parameter}) -> tensor<128x256xf32> {
    %0 = aten.linear %x, %w0, %b0 : (tensor<128x512xf32>, tensor<512x512xf32>, tensor<512xf32>) -> tensor<128x512xf32>
    %1 = aten.relu %0 : (tensor<128x512xf32>) -> tensor<128x512xf32>
    %2 = aten.linear %1, %w1, %b1 : (tensor<128x512xf32>, tensor<512x512xf32>, tensor<512xf32>) -> tensor<128x512xf32>
    %3 = aten.relu %2 : (tensor<128x512xf32>) -> tensor<128x512xf32>
    %4 = aten.linear %3, %w2 : (tensor<128x512xf32>, tensor<256x512xf32>) -> tensor<128x256xf32>
    %5 = aten.softmax.int %4 dim -1 : (tensor<128x256xf32>) -> tensor<128x256xf32>
    return %5 : tensor<128x256xf32>
  }
}
