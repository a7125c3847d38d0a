// Two convolutions of 16 channels with batch norms, then two products: what channels last is about.
module attributes {kgen.problem = "images"} {
  func.func @images(%x: tensor<1x16x6x6xf32> {kgen.init = "normal(0, 1)"},
      %w0: tensor<16x16x3x3xf32> {kgen.init = "uniform(-0.2, 0.2)", kgen.parameter},
      %g0: tensor<16xf32> {kgen.init = "uniform(0.5, 1.5)", kgen.parameter},
      %b0: tensor<16xf32> {kgen.init = "normal(0, 0.1)", kgen.parameter},
      %m0: tensor<16xf32> {kgen.init = "normal(0, 0.1)", kgen.parameter},
      %v0: tensor<16xf32> {kgen.init = "uniform(0.5, 1.5)", kgen.parameter},
      %w1: tensor<16x16x3x3xf32> {kgen.init = "uniform(-0.2, 0.2)", kgen.parameter},
      %g1: tensor<16xf32> {kgen.init = "uniform(0.5, 1.5)", kgen.parameter},
      %b1: tensor<16xf32> {kgen.init = "normal(0, 0.1)", kgen.parameter},
      %m1: tensor<16xf32> {kgen.init = "normal(0, 0.1)", kgen.parameter},
      %v1: tensor<16xf32> {kgen.init = "uniform(0.5, 1.5)", kgen.parameter},
      %q: tensor<12x36xf32> {kgen.init = "uniform(-0.2, 0.2)", kgen.parameter},
      %k: tensor<12x36xf32> {kgen.init = "uniform(-0.2, 0.2)", kgen.parameter}) -> tensor<16x12xf32> {
    %c0 = aten.conv2d %x, %w0 padding [1, 1] : (tensor<1x16x6x6xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x6x6xf32>
    %n0 = aten.batch_norm %c0 weight %g0 bias %b0 running_mean %m0 running_var %v0
        : (tensor<1x16x6x6xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x6x6xf32>
    %r0 = aten.relu %n0 : (tensor<1x16x6x6xf32>) -> tensor<1x16x6x6xf32>
    %c1 = aten.conv2d %r0, %w1 padding [1, 1] : (tensor<1x16x6x6xf32>, tensor<16x16x3x3xf32>) -> tensor<1x16x6x6xf32>
    %n1 = aten.batch_norm %c1 weight %g1 bias %b1 running_mean %m1 running_var %v1
        : (tensor<1x16x6x6xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>, tensor<16xf32>) -> tensor<1x16x6x6xf32>
    %r1 = aten.relu %n1 : (tensor<1x16x6x6xf32>) -> tensor<1x16x6x6xf32>
    %y = aten.reshape %r1 shape [16, 36] : (tensor<1x16x6x6xf32>) -> tensor<16x36xf32>
    %0 = aten.linear %y, %q : (tensor<16x36xf32>, tensor<12x36xf32>) -> tensor<16x12xf32>
    %1 = aten.linear %y, %k : (tensor<16x36xf32>, tensor<12x36xf32>) -> tensor<16x12xf32>
    %2 = aten.softmax.int %0 dim 1 : (tensor<16x12xf32>) -> tensor<16x12xf32>
    %3 = aten.mul.Tensor %2, %1 : (tensor<16x12xf32>, tensor<16x12xf32>) -> tensor<16x12xf32>
    return %3 : tensor<16x12xf32>
  }
}
