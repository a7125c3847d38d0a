// Bad input is one sentence with its place and an exit code, never a stack trace or a dump.
// RUN: split-file %s %t
// RUN: not kgen-opt %t/syntax.mlir --kgen-lower 2>&1 | FileCheck %s --check-prefix=SYNTAX --implicit-check-not="PLEASE submit" --implicit-check-not="see current operation"
// RUN: not kgen-opt %t/unknown.mlir --kgen-lower 2>&1 | FileCheck %s --check-prefix=UNKNOWN --implicit-check-not="see current operation"
// RUN: not kgen-opt %t/shape.mlir --kgen-lower 2>&1 | FileCheck %s --check-prefix=SHAPE --implicit-check-not="see current operation"
// RUN: not kgen-opt %t/dynamic.mlir --kgen-lower 2>&1 | FileCheck %s --check-prefix=DYNAMIC --implicit-check-not="see current operation"
// RUN: not kgen-opt %t/foreign.mlir --llm-lower 2>&1 | FileCheck %s --check-prefix=FOREIGN --implicit-check-not="see current operation"
// RUN: not kgen-opt %t/absent.mlir 2>&1 | FileCheck %s --check-prefix=ABSENT

// SYNTAX: syntax.mlir:2:5: error: expected '=' after SSA name
//--- syntax.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 aten.relu
}
// UNKNOWN: unknown.mlir:2:8: error: {{.*}}aten.warp_drive
//--- unknown.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = aten.warp_drive %x : (tensor<4xf32>) -> tensor<4xf32>
  return %0 : tensor<4xf32>
}
// SHAPE: shape.mlir:2:8: error:
//--- shape.mlir
func.func @f(%x: tensor<4x8xf32>, %w: tensor<8x9xf32>) -> tensor<4x8xf32> {
  %0 = aten.linear %x, %w : (tensor<4x8xf32>, tensor<8x9xf32>) -> tensor<4x8xf32>
  return %0 : tensor<4x8xf32>
}
// DYNAMIC: dynamic.mlir:2:8: error:
//--- dynamic.mlir
func.func @f(%x: tensor<?xf32>) -> tensor<?xf32> {
  %0 = aten.relu %x : (tensor<?xf32>) -> tensor<?xf32>
  return %0 : tensor<?xf32>
}
// FOREIGN: foreign.mlir:2:8: error: expected a graph of aten ops, found math.exp
//--- foreign.mlir
func.func @f(%x: tensor<4xf32>) -> tensor<4xf32> {
  %0 = math.exp %x : tensor<4xf32>
  return %0 : tensor<4xf32>
}
// ABSENT: cannot open input file '{{.*}}absent.mlir': No such file or directory
