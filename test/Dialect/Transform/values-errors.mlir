// A value that no variant of the family takes, and settings under which the family has no kernel, are refused at the
// directive, with what is legal.
// RUN: split-file %s %t
// RUN: not kgen-opt %t/conv.mlir --kgen-apply-directives=script=%t/odd.mlir 2>&1 | FileCheck %s --check-prefix=ODD
// RUN: not kgen-opt %t/conv.mlir --kgen-apply-directives=script=%t/static.mlir 2>&1 | FileCheck %s --check-prefix=STATIC
// RUN: not kgen-opt %t/conv.mlir --kgen-apply-directives=script=%t/channels.mlir 2>&1 | FileCheck %s --check-prefix=CHANNELS
// RUN: not kgen-opt %t/conv.mlir --kgen-apply-directives=script=%t/divides.mlir 2>&1 | FileCheck %s --check-prefix=DIVIDES
// RUN: not kgen-opt %t/conv.mlir --kgen-apply-directives=script=%t/shared.mlir 2>&1 | FileCheck %s --check-prefix=SHARED
// RUN: not kgen-opt %t/conv.mlir --kgen-apply-directives=script=%t/param.mlir 2>&1 | FileCheck %s --check-prefix=PARAM
// RUN: not kgen-opt %t/conv.mlir --kgen-apply-directives="script=%t/warpgroups.mlir arch=sm_80" 2>&1 | FileCheck %s --check-prefix=CHIP
// RUN: kgen-opt %t/conv.mlir --kgen-apply-directives=script=%t/warpgroups.mlir | FileCheck %s --check-prefix=HOPPER
// RUN: kgen-opt %t/conv.mlir --kgen-apply-directives=script=%t/later.mlir | FileCheck %s --check-prefix=LATER

// ODD: odd.mlir:2:1: error: schedule key 'tile' of conv/simt, conv/mma_sync, conv/wgmma, conv/implicit and conv/halo expected [a multiple of 4 from 4 to 4096, an integer from 1 to 4096, an integer from 1 to 4096] (conv/simt), or [a multiple of 4 from 4 to 4096, a multiple of 16 from 16 to 4096, a multiple of 8 from 8 to 4096] (conv/mma_sync), or [64, one of 8, 16, {{.*}}] (conv/wgmma), or {{.*}} (conv/implicit), or {{.*}} (conv/halo), found [97, 96, 16] (
// ODD-SAME: in dispatch @conv2d_0)
//--- odd.mlir
%d = transform.kgen.select "aten.conv2d" in %f
transform.kgen.tile %d [97, 96, 16]
// STATIC: static.mlir:2:1: error: 'transform.kgen.tile' op schedule key 'tile' of conv/simt, conv/mma_sync, conv/wgmma, conv/implicit and conv/halo expected [
//--- static.mlir
%d = transform.kgen.select "aten.conv2d" in %f as conv
transform.kgen.tile %d [97, 96, 16]

// Some variant takes it; the one that the family chooses for this graph does not.
// CHANNELS: channels.mlir:3:1: error: the tile's channels are a multiple of 16 on tensor cores, found 97 (
//--- channels.mlir
%d = transform.kgen.select "aten.conv2d" in %f
transform.kgen.pipeline %d stages = 2
transform.kgen.tile %d [64, 97, 16]
// DIVIDES: divides.mlir:3:1: error: thread_tile = [pixels, channels] has to divide the tile's 96 channels (
//--- divides.mlir
%d = transform.kgen.select "aten.conv2d" in %f
transform.kgen.tile %d [64, 96, 16]
transform.kgen.thread_tile %d [8, 7]
transform.kgen.pipeline %d stages = 2
// SHARED: shared.mlir:2:1: error: {{.*}} {{[0-9]+}} bytes of shared memory, sm_90a has 232448
//--- shared.mlir
%d = transform.kgen.select "aten.conv2d" in %f
transform.kgen.tile %d [64, 96, 4096]
transform.kgen.mma %d none
// PARAM: param.mlir:3:1: error: thread_tile = [pixels, channels] has to divide the tile's 35 channels (
//--- param.mlir
%d = transform.kgen.select "aten.conv2d" in %f
%p = transform.param.constant [64, 35, 16] -> !transform.any_param
transform.kgen.tile %d %p
transform.kgen.thread_tile %d [8, 8]
// CHIP: warpgroups.mlir:2:1: error: mma = wgmma needs sm_90a, found sm_80 (
// HOPPER: mma = wgmma
//--- warpgroups.mlir
%d = transform.kgen.select "aten.conv2d" in %f
transform.kgen.mma %d wgmma

// What is wrong until the next directive is not wrong.
// LATER: thread_tile = [8, 7], tile = [64, 49, 16]
//--- later.mlir
%d = transform.kgen.select "aten.conv2d" in %f
transform.kgen.thread_tile %d [8, 7]
transform.kgen.tile %d [64, 96, 16]
transform.kgen.tile %d [64, 49, 16]

//--- conv.mlir
func.func @f(%x: tensor<2x3x40x40xf32>, %w: tensor<96x3x5x5xf32>) -> tensor<2x96x36x36xf32> {
  %0 = aten.conv2d %x, %w : (tensor<2x3x40x40xf32>, tensor<96x3x5x5xf32>) -> tensor<2x96x36x36xf32>
  return %0 : tensor<2x96x36x36xf32>
}
