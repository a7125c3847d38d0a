// RUN: kgen-opt %s -split-input-file -verify-diagnostics -kgen-lower-dispatches

module attributes {kgen.precision = "bf16"} {
func.func @rows_per_block(%x: tensor<256x128xbf16>, %w: tensor<4x192x128xbf16>, %ends: tensor<4xi32>) -> tensor<256x192xbf16> {
  // expected-error @below {{expected mma = none, mma = mma_sync or split_at = cluster for a product of groups of rows, found rows_per_block}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, rows_per_block = 4>)
      ins(%x, %w, %ends : tensor<256x128xbf16>, tensor<4x192x128xbf16>, tensor<4xi32>) {
  ^bb0(%l: tensor<256x128xbf16>, %r: tensor<4x192x128xbf16>, %g: tensor<4xi32>):
    %t = aten.transpose.int %r dim0 1 dim1 2 : (tensor<4x192x128xbf16>) -> tensor<4x128x192xbf16>
    %m = aten._grouped_mm %l, %t, %g : (tensor<256x128xbf16>, tensor<4x128x192xbf16>, tensor<4xi32>) -> tensor<256x192xbf16>
    kgen.yield %m : tensor<256x192xbf16>
  } : tensor<256x192xbf16>
  return %0 : tensor<256x192xbf16>
}
}

// -----

module attributes {kgen.precision = "bf16"} {
func.func @warpgroups(%x: tensor<256x128xbf16>, %w: tensor<4x192x128xbf16>, %ends: tensor<4xi32>) -> tensor<256x192xbf16> {
  // expected-error @below {{found mma = wgmma without it}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wgmma>)
      ins(%x, %w, %ends : tensor<256x128xbf16>, tensor<4x192x128xbf16>, tensor<4xi32>) {
  ^bb0(%l: tensor<256x128xbf16>, %r: tensor<4x192x128xbf16>, %g: tensor<4xi32>):
    %t = aten.transpose.int %r dim0 1 dim1 2 : (tensor<4x192x128xbf16>) -> tensor<4x128x192xbf16>
    %m = aten._grouped_mm %l, %t, %g : (tensor<256x128xbf16>, tensor<4x128x192xbf16>, tensor<4xi32>) -> tensor<256x192xbf16>
    kgen.yield %m : tensor<256x192xbf16>
  } : tensor<256x192xbf16>
  return %0 : tensor<256x192xbf16>
}
}

// -----

module attributes {kgen.precision = "bf16"} {
func.func @persistent(%x: tensor<256x128xbf16>, %w: tensor<4x192x128xbf16>, %ends: tensor<4xi32>) -> tensor<256x192xbf16> {
  // expected-error @below {{found persistent}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, persistent = static>)
      ins(%x, %w, %ends : tensor<256x128xbf16>, tensor<4x192x128xbf16>, tensor<4xi32>) {
  ^bb0(%l: tensor<256x128xbf16>, %r: tensor<4x192x128xbf16>, %g: tensor<4xi32>):
    %t = aten.transpose.int %r dim0 1 dim1 2 : (tensor<4x192x128xbf16>) -> tensor<4x128x192xbf16>
    %m = aten._grouped_mm %l, %t, %g : (tensor<256x128xbf16>, tensor<4x128x192xbf16>, tensor<4xi32>) -> tensor<256x192xbf16>
    kgen.yield %m : tensor<256x192xbf16>
  } : tensor<256x192xbf16>
  return %0 : tensor<256x192xbf16>
}
}

// -----

module attributes {kgen.precision = "bf16"} {
func.func @wmma(%x: tensor<256x128xbf16>, %w: tensor<4x192x128xbf16>, %ends: tensor<4xi32>) -> tensor<256x192xbf16> {
  // expected-error @below {{found mma = wmma}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, mma = wmma>)
      ins(%x, %w, %ends : tensor<256x128xbf16>, tensor<4x192x128xbf16>, tensor<4xi32>) {
  ^bb0(%l: tensor<256x128xbf16>, %r: tensor<4x192x128xbf16>, %g: tensor<4xi32>):
    %t = aten.transpose.int %r dim0 1 dim1 2 : (tensor<4x192x128xbf16>) -> tensor<4x128x192xbf16>
    %m = aten._grouped_mm %l, %t, %g : (tensor<256x128xbf16>, tensor<4x128x192xbf16>, tensor<4xi32>) -> tensor<256x192xbf16>
    kgen.yield %m : tensor<256x192xbf16>
  } : tensor<256x192xbf16>
  return %0 : tensor<256x192xbf16>
}
}

// -----

module attributes {kgen.precision = "bf16"} {
func.func @cluster(%x: tensor<256x128xbf16>, %w: tensor<4x192x128xbf16>, %ends: tensor<4xi32>) -> tensor<256x192xbf16> {
  // expected-error @below {{tiles of a cluster share a matrix, and rows of groups may have different ones: expected cluster = 1, found 2}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, split_at = cluster, cluster = 2>)
      ins(%x, %w, %ends : tensor<256x128xbf16>, tensor<4x192x128xbf16>, tensor<4xi32>) {
  ^bb0(%l: tensor<256x128xbf16>, %r: tensor<4x192x128xbf16>, %g: tensor<4xi32>):
    %t = aten.transpose.int %r dim0 1 dim1 2 : (tensor<4x192x128xbf16>) -> tensor<4x128x192xbf16>
    %m = aten._grouped_mm %l, %t, %g : (tensor<256x128xbf16>, tensor<4x128x192xbf16>, tensor<4xi32>) -> tensor<256x192xbf16>
    kgen.yield %m : tensor<256x192xbf16>
  } : tensor<256x192xbf16>
  return %0 : tensor<256x192xbf16>
}
}

// -----

module attributes {kgen.precision = "tf32"} {
func.func @across(%x: tensor<256x128xf32>, %w: tensor<4x128x192xf32>, %ends: tensor<4xi32>) -> tensor<256x192xf32> {
  // expected-error @below {{split_at = cluster takes f32 matrices of groups along k, found them across}}
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm, split_at = cluster>)
      ins(%x, %w, %ends : tensor<256x128xf32>, tensor<4x128x192xf32>, tensor<4xi32>) {
  ^bb0(%l: tensor<256x128xf32>, %r: tensor<4x128x192xf32>, %g: tensor<4xi32>):
    %m = aten._grouped_mm %l, %r, %g : (tensor<256x128xf32>, tensor<4x128x192xf32>, tensor<4xi32>) -> tensor<256x192xf32>
    kgen.yield %m : tensor<256x192xf32>
  } : tensor<256x192xf32>
  return %0 : tensor<256x192xf32>
}
}

// -----

// Rows of the left operand across k: a tile may begin at any of them.
func.func @left(%x: tensor<128x256xbf16>, %w: tensor<4x128x192xbf16>, %ends: tensor<4xi32>) -> tensor<256x192xbf16> {
  %0 = kgen.dispatch @d schedule(#kgen.schedule<family = gemm>)
      ins(%x, %w, %ends : tensor<128x256xbf16>, tensor<4x128x192xbf16>, tensor<4xi32>) {
  ^bb0(%l: tensor<128x256xbf16>, %r: tensor<4x128x192xbf16>, %g: tensor<4xi32>):
    %t = aten.transpose.int %l dim0 0 dim1 1 : (tensor<128x256xbf16>) -> tensor<256x128xbf16>
    // expected-error @below {{family gemm reads rows of groups along k, found them across}}
    %m = aten._grouped_mm %t, %r, %g : (tensor<256x128xbf16>, tensor<4x128x192xbf16>, tensor<4xi32>) -> tensor<256x192xbf16>
    kgen.yield %m : tensor<256x192xbf16>
  } : tensor<256x192xbf16>
  return %0 : tensor<256x192xbf16>
}
