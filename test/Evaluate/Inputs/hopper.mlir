func.func @product(%a: tensor<60x72xf16>, %b: tensor<72x64xf16>) -> tensor<60x64xf16> {
  %0 = aten.mm %a, %b : (tensor<60x72xf16>, tensor<72x64xf16>) -> tensor<60x64xf16>
  return %0 : tensor<60x64xf16>
}
