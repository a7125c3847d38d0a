// RUN: kgen-opt %s --kgen-resize=size=small -split-input-file -verify-diagnostics

func.func @rank(%x: tensor<16x8xf32> {kgen.small = tensor<8xf32>}) {
  return
}
// expected-error @-3 {{expected kgen.small of argument 0 to be a static tensor of rank 2 and element type 'f32' but found tensor<8xf32>}}

// -----

func.func @misfit(%x: tensor<16x8xf32> {kgen.small = tensor<4x8xf32>}, %y: tensor<16x8xf32>) -> tensor<16x8xf32> {
  // expected-error @below {{'aten.add.Tensor' op expected shapes that broadcast but found [4, 8] and [16, 8] [broadcast_c1]}}
  %0 = aten.add.Tensor %x, %y : (tensor<16x8xf32>, tensor<16x8xf32>) -> tensor<16x8xf32>
  return %0 : tensor<16x8xf32>
}

// -----

// 4 * 6 elements regrouped as 3 * 8: 5 elements are no multiple of 3 or of 8.
func.func @regrouped(%x: tensor<4x6xf32> {kgen.small = tensor<1x5xf32>}) -> tensor<3x8xf32> {
  // expected-error @below {{'aten.view' op expected extents that follow [4, 6] becoming [1, 5] but found [3, 8]}}
  %0 = aten.view %x size [3, 8] : (tensor<4x6xf32>) -> tensor<3x8xf32>
  return %0 : tensor<3x8xf32>
}

// -----

func.func @foreign(%x: tensor<16x8xf32> {kgen.small = tensor<4x8xf32>}) -> tensor<16x8xf32> {
  // expected-error @below {{'tensor.cast' op expected an op whose shapes can be inferred but found one that is not an aten op}}
  %0 = tensor.cast %x : tensor<16x8xf32> to tensor<?x8xf32>
  %1 = tensor.cast %0 : tensor<?x8xf32> to tensor<16x8xf32>
  return %1 : tensor<16x8xf32>
}

// -----

// expected-error @below {{expected argument 0 to be a static tensor but found 'tensor<?x8xf32>'}}
func.func @dynamic(%x: tensor<?x8xf32>) {
  return
}

// -----

// The batch goes to 1, what expand repeats stays.
// expected-error @below {{expected a size of at most 1.000000e+08 floating-point operations and 1048576 elements for each tensor but found none below 0.000000e+00 and 5000000}}
func.func @stuck(%x: tensor<3x1xf32>) -> tensor<3x5000000xf32> {
  %0 = aten.expand %x size [3, 5000000] : (tensor<3x1xf32>) -> tensor<3x5000000xf32>
  return %0 : tensor<3x5000000xf32>
}
