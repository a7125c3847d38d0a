// A network of fixed weights has a smallest size, which may exceed the limits as often as slack says.
// RUN: not kgen-opt %s --kgen-resize=max-elements=10 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: not kgen-opt %s --kgen-resize="max-elements=10 slack=2" 2>&1 | FileCheck %s --check-prefix=NONE
// RUN: kgen-opt %s --kgen-resize="max-elements=10 slack=3" | FileCheck %s

// NONE: error: 'func.func' op expected a size of at most {{.*}} 10 elements for each tensor but found none below {{.*}} and 30
// CHECK: aten.expand {{.*}} : (tensor<1x1xf32>) -> tensor<1x30xf32>
func.func @stuck(%x: tensor<3x1xf32>) -> tensor<3x30xf32> {
  %0 = aten.expand %x size [3, 30] : (tensor<3x1xf32>) -> tensor<3x30xf32>
  return %0 : tensor<3x30xf32>
}
