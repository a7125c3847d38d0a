module attributes {kgen.precision = "bf16"} {
  func.func @wide(%x: tensor<128x4096xbf16>, %w: tensor<32000x4096xbf16> {kgen.parameter}) -> tensor<128x32000xbf16> {
    %0 = aten.linear %x, %w : (tensor<128x4096xbf16>, tensor<32000x4096xbf16>) -> tensor<128x32000xbf16>
    return %0 : tensor<128x32000xbf16>
  }
}
