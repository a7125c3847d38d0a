// Four blocks of a norm, a product with its gelu, and a product with the residual; then a softmax: 13 tasks, 4 texts.
module attributes {kgen.problem = "mixer"} {
  func.func @mixer(%x: tensor<16x32xf32> {kgen.init = "normal(0, 1)"},
      %g0: tensor<32xf32> {kgen.init = "uniform(0.5, 1.5)", kgen.parameter},
      %s0: tensor<32xf32> {kgen.init = "normal(0, 0.1)", kgen.parameter},
      %u0: tensor<256x32xf32> {kgen.init = "uniform(-0.2, 0.2)", kgen.parameter},
      %c0: tensor<256xf32> {kgen.init = "uniform(-0.2, 0.2)", kgen.parameter},
      %d0: tensor<32x256xf32> {kgen.init = "uniform(-0.0625, 0.0625)", kgen.parameter},
      %e0: tensor<32xf32> {kgen.init = "uniform(-0.0625, 0.0625)", kgen.parameter},
      %g1: tensor<32xf32> {kgen.init = "uniform(0.5, 1.5)", kgen.parameter},
      %s1: tensor<32xf32> {kgen.init = "normal(0, 0.1)", kgen.parameter},
      %u1: tensor<256x32xf32> {kgen.init = "uniform(-0.2, 0.2)", kgen.parameter},
      %c1: tensor<256xf32> {kgen.init = "uniform(-0.2, 0.2)", kgen.parameter},
      %d1: tensor<32x256xf32> {kgen.init = "uniform(-0.0625, 0.0625)", kgen.parameter},
      %e1: tensor<32xf32> {kgen.init = "uniform(-0.0625, 0.0625)", kgen.parameter},
      %g2: tensor<32xf32> {kgen.init = "uniform(0.5, 1.5)", kgen.parameter},
      %s2: tensor<32xf32> {kgen.init = "normal(0, 0.1)", kgen.parameter},
      %u2: tensor<256x32xf32> {kgen.init = "uniform(-0.2, 0.2)", kgen.parameter},
      %c2: tensor<256xf32> {kgen.init = "uniform(-0.2, 0.2)", kgen.parameter},
      %d2: tensor<32x256xf32> {kgen.init = "uniform(-0.0625, 0.0625)", kgen.parameter},
      %e2: tensor<32xf32> {kgen.init = "uniform(-0.0625, 0.0625)", kgen.parameter},
      %g3: tensor<32xf32> {kgen.init = "uniform(0.5, 1.5)", kgen.parameter},
      %s3: tensor<32xf32> {kgen.init = "normal(0, 0.1)", kgen.parameter},
      %u3: tensor<256x32xf32> {kgen.init = "uniform(-0.2, 0.2)", kgen.parameter},
      %c3: tensor<256xf32> {kgen.init = "uniform(-0.2, 0.2)", kgen.parameter},
      %d3: tensor<32x256xf32> {kgen.init = "uniform(-0.0625, 0.0625)", kgen.parameter},
      %e3: tensor<32xf32> {kgen.init = "uniform(-0.0625, 0.0625)", kgen.parameter})
      -> tensor<16x32xf32> {
    %n0 = aten.layer_norm %x weight %g0 bias %s0 normalized_shape [32] : (tensor<16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<16x32xf32>
    %h0 = aten.linear %n0, %u0, %c0 : (tensor<16x32xf32>, tensor<256x32xf32>, tensor<256xf32>) -> tensor<16x256xf32>
    %a0 = aten.gelu %h0 : (tensor<16x256xf32>) -> tensor<16x256xf32>
    %o0 = aten.linear %a0, %d0, %e0 : (tensor<16x256xf32>, tensor<32x256xf32>, tensor<32xf32>) -> tensor<16x32xf32>
    %r0 = aten.add.Tensor %x, %o0 : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %n1 = aten.layer_norm %r0 weight %g1 bias %s1 normalized_shape [32] : (tensor<16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<16x32xf32>
    %h1 = aten.linear %n1, %u1, %c1 : (tensor<16x32xf32>, tensor<256x32xf32>, tensor<256xf32>) -> tensor<16x256xf32>
    %a1 = aten.gelu %h1 : (tensor<16x256xf32>) -> tensor<16x256xf32>
    %o1 = aten.linear %a1, %d1, %e1 : (tensor<16x256xf32>, tensor<32x256xf32>, tensor<32xf32>) -> tensor<16x32xf32>
    %r1 = aten.add.Tensor %r0, %o1 : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %n2 = aten.layer_norm %r1 weight %g2 bias %s2 normalized_shape [32] : (tensor<16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<16x32xf32>
    %h2 = aten.linear %n2, %u2, %c2 : (tensor<16x32xf32>, tensor<256x32xf32>, tensor<256xf32>) -> tensor<16x256xf32>
    %a2 = aten.gelu %h2 : (tensor<16x256xf32>) -> tensor<16x256xf32>
    %o2 = aten.linear %a2, %d2, %e2 : (tensor<16x256xf32>, tensor<32x256xf32>, tensor<32xf32>) -> tensor<16x32xf32>
    %r2 = aten.add.Tensor %r1, %o2 : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %n3 = aten.layer_norm %r2 weight %g3 bias %s3 normalized_shape [32] : (tensor<16x32xf32>, tensor<32xf32>, tensor<32xf32>) -> tensor<16x32xf32>
    %h3 = aten.linear %n3, %u3, %c3 : (tensor<16x32xf32>, tensor<256x32xf32>, tensor<256xf32>) -> tensor<16x256xf32>
    %a3 = aten.gelu %h3 : (tensor<16x256xf32>) -> tensor<16x256xf32>
    %o3 = aten.linear %a3, %d3, %e3 : (tensor<16x256xf32>, tensor<32x256xf32>, tensor<32xf32>) -> tensor<16x32xf32>
    %r3 = aten.add.Tensor %r2, %o3 : (tensor<16x32xf32>, tensor<16x32xf32>) -> tensor<16x32xf32>
    %p = aten.softmax.int %r3 dim 1 : (tensor<16x32xf32>) -> tensor<16x32xf32>
    return %p : tensor<16x32xf32>
  }
}
