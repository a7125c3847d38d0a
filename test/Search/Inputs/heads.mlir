// Two layers of attention of two heads: q is multiplied by a number, k has no bias.
func.func @heads(%x: tensor<1x6x16xf32>, %q: tensor<16x16xf32> {kgen.parameter}, %k: tensor<16x16xf32> {kgen.parameter},
                 %v: tensor<16x16xf32> {kgen.parameter}, %o: tensor<16x16xf32> {kgen.parameter}, %b: tensor<16xf32> {kgen.parameter}) -> tensor<1x6x16xf32> {
  %a0 = aten.linear %x, %q, %b : (tensor<1x6x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<1x6x16xf32>
  %b0 = aten.mul.Scalar %a0 {other = 0.35} : (tensor<1x6x16xf32>) -> tensor<1x6x16xf32>
  %c0 = aten.view %b0 size [1, 6, 2, 8] : (tensor<1x6x16xf32>) -> tensor<1x6x2x8xf32>
  %d0 = aten.transpose.int %c0 dim0 1 dim1 2 : (tensor<1x6x2x8xf32>) -> tensor<1x2x6x8xf32>
  %e0 = aten.linear %x, %k : (tensor<1x6x16xf32>, tensor<16x16xf32>) -> tensor<1x6x16xf32>
  %f0 = aten.view %e0 size [1, 6, 2, 8] : (tensor<1x6x16xf32>) -> tensor<1x6x2x8xf32>
  %g0 = aten.transpose.int %f0 dim0 1 dim1 2 : (tensor<1x6x2x8xf32>) -> tensor<1x2x6x8xf32>
  %h0 = aten.linear %x, %v, %b : (tensor<1x6x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<1x6x16xf32>
  %i0 = aten.view %h0 size [1, 6, 2, 8] : (tensor<1x6x16xf32>) -> tensor<1x6x2x8xf32>
  %j0 = aten.transpose.int %i0 dim0 1 dim1 2 : (tensor<1x6x2x8xf32>) -> tensor<1x2x6x8xf32>
  %k0 = aten.scaled_dot_product_attention %d0, %g0, %j0 scale 1.0 : (tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>) -> tensor<1x2x6x8xf32>
  %l0 = aten.transpose.int %k0 dim0 1 dim1 2 : (tensor<1x2x6x8xf32>) -> tensor<1x6x2x8xf32>
  %m0 = aten.reshape %l0 shape [1, 6, 16] : (tensor<1x6x2x8xf32>) -> tensor<1x6x16xf32>
  %n0 = aten.linear %m0, %o, %b : (tensor<1x6x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<1x6x16xf32>
  %a1 = aten.linear %n0, %q, %b : (tensor<1x6x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<1x6x16xf32>
  %b1 = aten.mul.Scalar %a1 {other = 0.35} : (tensor<1x6x16xf32>) -> tensor<1x6x16xf32>
  %c1 = aten.view %b1 size [1, 6, 2, 8] : (tensor<1x6x16xf32>) -> tensor<1x6x2x8xf32>
  %d1 = aten.transpose.int %c1 dim0 1 dim1 2 : (tensor<1x6x2x8xf32>) -> tensor<1x2x6x8xf32>
  %e1 = aten.linear %n0, %k : (tensor<1x6x16xf32>, tensor<16x16xf32>) -> tensor<1x6x16xf32>
  %f1 = aten.view %e1 size [1, 6, 2, 8] : (tensor<1x6x16xf32>) -> tensor<1x6x2x8xf32>
  %g1 = aten.transpose.int %f1 dim0 1 dim1 2 : (tensor<1x6x2x8xf32>) -> tensor<1x2x6x8xf32>
  %h1 = aten.linear %n0, %v, %b : (tensor<1x6x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<1x6x16xf32>
  %i1 = aten.view %h1 size [1, 6, 2, 8] : (tensor<1x6x16xf32>) -> tensor<1x6x2x8xf32>
  %j1 = aten.transpose.int %i1 dim0 1 dim1 2 : (tensor<1x6x2x8xf32>) -> tensor<1x2x6x8xf32>
  %k1 = aten.scaled_dot_product_attention %d1, %g1, %j1 scale 1.0 : (tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>, tensor<1x2x6x8xf32>) -> tensor<1x2x6x8xf32>
  %l1 = aten.transpose.int %k1 dim0 1 dim1 2 : (tensor<1x2x6x8xf32>) -> tensor<1x6x2x8xf32>
  %m1 = aten.reshape %l1 shape [1, 6, 16] : (tensor<1x6x2x8xf32>) -> tensor<1x6x16xf32>
  %n1 = aten.linear %m1, %o, %b : (tensor<1x6x16xf32>, tensor<16x16xf32>, tensor<16xf32>) -> tensor<1x6x16xf32>
  return %n1 : tensor<1x6x16xf32>
}
