// Two layers of a step: a product, a row of a cache, and what reads the cache.
module attributes {kgen.problem = "cache_step"} {
  func.func @cache_step(%x: tensor<1x32xf32>, %at: tensor<1xi64> {kgen.init = "integer(0, 63)", kgen.name = "at"},
      %w0: tensor<32x32xf32> {kgen.init = "uniform(-0.2, 0.2)", kgen.parameter}, %c0: tensor<64x32xf32> {kgen.name = "cache0", kgen.parameter},
      %w1: tensor<32x32xf32> {kgen.init = "uniform(-0.2, 0.2)", kgen.parameter}, %c1: tensor<64x32xf32> {kgen.name = "cache1", kgen.parameter})
      -> (tensor<1x32xf32>, tensor<64x32xf32> {kgen.mutates = "cache0"}, tensor<64x32xf32> {kgen.mutates = "cache1"}) {
    %k0 = aten.linear %x, %w0 : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32>
    %n0 = aten.index_put %c0, %at values %k0 dims [0] : (tensor<64x32xf32>, tensor<1xi64>, tensor<1x32xf32>) -> tensor<64x32xf32>
    %s0 = aten.linear %x, %n0 : (tensor<1x32xf32>, tensor<64x32xf32>) -> tensor<1x64xf32>
    %p0 = aten.softmax.int %s0 dim 1 : (tensor<1x64xf32>) -> tensor<1x64xf32>
    %y0 = aten.mm %p0, %n0 : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>
    %k1 = aten.linear %y0, %w1 : (tensor<1x32xf32>, tensor<32x32xf32>) -> tensor<1x32xf32>
    %n1 = aten.index_put %c1, %at values %k1 dims [0] : (tensor<64x32xf32>, tensor<1xi64>, tensor<1x32xf32>) -> tensor<64x32xf32>
    %s1 = aten.linear %y0, %n1 : (tensor<1x32xf32>, tensor<64x32xf32>) -> tensor<1x64xf32>
    %p1 = aten.softmax.int %s1 dim 1 : (tensor<1x64xf32>) -> tensor<1x64xf32>
    %y1 = aten.mm %p1, %n1 : (tensor<1x64xf32>, tensor<64x32xf32>) -> tensor<1x32xf32>
    return %y1, %n0, %n1 : tensor<1x32xf32>, tensor<64x32xf32>, tensor<64x32xf32>
  }
}
