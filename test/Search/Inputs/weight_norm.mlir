// Four blocks whose weights are directions scaled to a length, as weight norm has them: what the weights are is decided
// by parameters alone. In all 14 tasks, of which those that make the weights are prepared.
module attributes {kgen.problem = "weight_norm"} {
  func.func @weight_norm(%x: tensor<16x32xf32> {kgen.init = "normal(0, 1)"},
      %v0: tensor<32x32xf32> {kgen.init = "uniform(-1, 1)", kgen.parameter},
      %g0: tensor<32x1xf32> {kgen.init = "uniform(0.5, 1.5)", kgen.parameter},
      %v1: tensor<32x32xf32> {kgen.init = "uniform(-1, 1)", kgen.parameter},
      %g1: tensor<32x1xf32> {kgen.init = "uniform(0.5, 1.5)", kgen.parameter},
      %v2: tensor<32x32xf32> {kgen.init = "uniform(-1, 1)", kgen.parameter},
      %g2: tensor<32x1xf32> {kgen.init = "uniform(0.5, 1.5)", kgen.parameter},
      %v3: tensor<32x32xf32> {kgen.init = "uniform(-1, 1)", kgen.parameter},
      %g3: tensor<32x1xf32> {kgen.init = "uniform(0.5, 1.5)", kgen.parameter})
      -> tensor<16x32xf32> {
    %q0 = aten.mul.Tensor %v0, %v0 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %l0 = aten.sum.dim_IntList %q0 dim [1] keepdim true : (tensor<32x32xf32>) -> tensor<32x1xf32>
    %r0 = aten.rsqrt %l0 : (tensor<32x1xf32>) -> tensor<32x1xf32>
    %c0 = aten.mul.Tensor %g0, %r0 : (tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
    %w0 = aten.mul.Tensor %v0, %c0 : (tensor<32x32xf32>, tensor<32x1xf32>) -> tensor<32x32xf32>
    %h0 = aten.linear %x, %w0 : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
    %a0 = aten.relu %h0 : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %q1 = aten.mul.Tensor %v1, %v1 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %l1 = aten.sum.dim_IntList %q1 dim [1] keepdim true : (tensor<32x32xf32>) -> tensor<32x1xf32>
    %r1 = aten.rsqrt %l1 : (tensor<32x1xf32>) -> tensor<32x1xf32>
    %c1 = aten.mul.Tensor %g1, %r1 : (tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
    %w1 = aten.mul.Tensor %v1, %c1 : (tensor<32x32xf32>, tensor<32x1xf32>) -> tensor<32x32xf32>
    %h1 = aten.linear %a0, %w1 : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
    %a1 = aten.relu %h1 : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %q2 = aten.mul.Tensor %v2, %v2 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %l2 = aten.sum.dim_IntList %q2 dim [1] keepdim true : (tensor<32x32xf32>) -> tensor<32x1xf32>
    %r2 = aten.rsqrt %l2 : (tensor<32x1xf32>) -> tensor<32x1xf32>
    %c2 = aten.mul.Tensor %g2, %r2 : (tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
    %w2 = aten.mul.Tensor %v2, %c2 : (tensor<32x32xf32>, tensor<32x1xf32>) -> tensor<32x32xf32>
    %h2 = aten.linear %a1, %w2 : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
    %a2 = aten.relu %h2 : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %q3 = aten.mul.Tensor %v3, %v3 : (tensor<32x32xf32>, tensor<32x32xf32>) -> tensor<32x32xf32>
    %l3 = aten.sum.dim_IntList %q3 dim [1] keepdim true : (tensor<32x32xf32>) -> tensor<32x1xf32>
    %r3 = aten.rsqrt %l3 : (tensor<32x1xf32>) -> tensor<32x1xf32>
    %c3 = aten.mul.Tensor %g3, %r3 : (tensor<32x1xf32>, tensor<32x1xf32>) -> tensor<32x1xf32>
    %w3 = aten.mul.Tensor %v3, %c3 : (tensor<32x32xf32>, tensor<32x1xf32>) -> tensor<32x32xf32>
    %h3 = aten.linear %a2, %w3 : (tensor<16x32xf32>, tensor<32x32xf32>) -> tensor<16x32xf32>
    %a3 = aten.relu %h3 : (tensor<16x32xf32>) -> tensor<16x32xf32>
    %p = aten.softmax.int %a3 dim 1 : (tensor<16x32xf32>) -> tensor<16x32xf32>
    return %p : tensor<16x32xf32>
  }
}
