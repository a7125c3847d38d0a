func.func @product(%a: tensor<256x512xf16>, %b: tensor<512x256xf16>) -> tensor<256x256xf16> attributes {kgen.precision = "fp16"} {
  %0 = aten.matmul %a, %b : (tensor<256x512xf16>, tensor<512x256xf16>) -> tensor<256x256xf16>
  return %0 : tensor<256x256xf16>
}
