module attributes {kgen.problem = "softmax", kgen.source = "softmax.py"} {
  func.func @softmax(%arg0: tensor<4096x65536xf32> {kgen.init = "normal(0, 1)", kgen.name = "x", kgen.small = tensor<64x4096xf32>}) -> tensor<4096x65536xf32> {
    %0 = aten.softmax.int %arg0 dim -1 : (tensor<4096x65536xf32>) -> tensor<4096x65536xf32>
    return %0 : tensor<4096x65536xf32>
  }
}

