// expect: pass
// ideas: host:families
// What no kernel family takes stays with the generic path, and its neighbours with their families.
func.func @f(
    %x_0: tensor<256x256xf32>, %w_0: tensor<256x256xf32>, %y_0: tensor<64x64xf32>,
    %x_1: tensor<256x256xf32>, %w_1: tensor<256x256xf32>, %y_1: tensor<64x64xi64>,
    %x_2: tensor<256x256xf16>, %w_2: tensor<256x256xf16>, %q_2: tensor<2x64x64xf16>, %m_2: tensor<64x64xf16>,
    %x_3: tensor<256x256xf32>, %w_3: tensor<256x256xf32>, %y_3: tensor<8x64x8xf32>,
    %x_4: tensor<256x256xf32>, %w_4: tensor<256x256xf32>, %y_4: tensor<64x64xf32>,
    %x_5: tensor<256x256xf32>, %w_5: tensor<256x256xf32>, %y_5: tensor<2x1x64x8xf16>, %z_5: tensor<1x3x8x16xf16>,
    %x_6: tensor<256x256xf32>, %w_6: tensor<256x256xf32>, %y_6: tensor<64x64xf32>)
    -> (tensor<256x256xf32>, tensor<64xf32>, tensor<256x256xf32>, tensor<64xi64>, tensor<256x256xf16>, tensor<2x64x64xf16>, tensor<256x256xf32>, tensor<64xf32>, tensor<256x256xf32>, tensor<64xf32>, tensor<256x256xf32>, tensor<2x3x64x16xf16>, tensor<256x256xf32>, tensor<64xf32>) {
  // poison
  %v0_0 = aten.mm %x_0, %w_0 : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %v1_0 = aten.prod.dim_int %y_0 dim 1 : (tensor<64x64xf32>) -> tensor<64xf32>
  %v2_0 = aten.linalg_vector_norm %y_0 ord 3.0 dim [1] : (tensor<64x64xf32>) -> tensor<64xf32>
  %v3_0 = aten.add.Tensor %v1_0, %v2_0 : (tensor<64xf32>, tensor<64xf32>) -> tensor<64xf32>
  // poison_argmin_i64
  %v0_1 = aten.mm %x_1, %w_1 : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %v1_1 = aten.argmin %y_1 dim 1 : (tensor<64x64xi64>) -> tensor<64xi64>
  // poison_mask
  %v0_2 = aten.mm %x_2, %w_2 : (tensor<256x256xf16>, tensor<256x256xf16>) -> tensor<256x256xf16>
  %v1_2 = aten.scaled_dot_product_attention %q_2, %q_2, %q_2 attn_mask %m_2 : (tensor<2x64x64xf16>, tensor<2x64x64xf16>, tensor<2x64x64xf16>, tensor<64x64xf16>) -> tensor<2x64x64xf16>
  // poison_nonadjacent_mean
  %v0_3 = aten.mm %x_3, %w_3 : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %v1_3 = aten.mean.dim %y_3 dim [0, 2] : (tensor<8x64x8xf32>) -> tensor<64xf32>
  // poison_norm3_only
  %v0_4 = aten.mm %x_4, %w_4 : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %v1_4 = aten.linalg_vector_norm %y_4 ord 3.0 dim [1] : (tensor<64x64xf32>) -> tensor<64xf32>
  // poison_partbroadcast_matmul
  %v0_5 = aten.mm %x_5, %w_5 : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %v1_5 = aten.matmul %y_5, %z_5 : (tensor<2x1x64x8xf16>, tensor<1x3x8x16xf16>) -> tensor<2x3x64x16xf16>
  // poison_prod_only
  %v0_6 = aten.mm %x_6, %w_6 : (tensor<256x256xf32>, tensor<256x256xf32>) -> tensor<256x256xf32>
  %v1_6 = aten.prod.dim_int %y_6 dim 1 : (tensor<64x64xf32>) -> tensor<64xf32>
  return %v0_0, %v3_0, %v0_1, %v1_1, %v0_2, %v1_2, %v0_3, %v1_3, %v0_4, %v1_4, %v0_5, %v1_5, %v0_6, %v1_6 : tensor<256x256xf32>, tensor<64xf32>, tensor<256x256xf32>, tensor<64xi64>, tensor<256x256xf16>, tensor<2x64x64xf16>, tensor<256x256xf32>, tensor<64xf32>, tensor<256x256xf32>, tensor<64xf32>, tensor<256x256xf32>, tensor<2x3x64x16xf16>, tensor<256x256xf32>, tensor<64xf32>
}
