// A product of few rows with a matrix that is contiguous along n, as GPT-2's are.
module attributes {kgen.problem = "mixed_rows", kgen.precision = "bf16"} {
  func.func @mixed_rows(%x: tensor<128x256xbf16> {kgen.init = "normal(0, 1)"}, %w: tensor<256x192xbf16> {kgen.init = "normal(0, 0.1)", kgen.parameter},
      %b: tensor<192xbf16> {kgen.init = "normal(0, 0.1)", kgen.parameter}) -> tensor<128x192xbf16> {
    %0 = aten.mm %x, %w : (tensor<128x256xbf16>, tensor<256x192xbf16>) -> tensor<128x192xbf16>
    %1 = aten.add.Tensor %0, %b : (tensor<128x192xbf16>, tensor<192xbf16>) -> tensor<128x192xbf16>
    return %1 : tensor<128x192xbf16>
  }
}
