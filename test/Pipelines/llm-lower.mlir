// Idea, directives and CUDA-C in one pass, the same every time.
// RUN: kgen-opt %s --llm-lower | FileCheck %s
// RUN: kgen-opt %s --llm-lower -o %t.1
// RUN: kgen-opt %s --llm-lower="provider=builtin device=cuda" -o %t.2
// RUN: diff %t.1 %t.2
// RUN: kgen-opt %s --kgen-materialize-idea | FileCheck %s --check-prefix=LEVEL2
// RUN: not kgen-opt %s --llm-lower="idea=perpetual_motion" 2>&1 | FileCheck %s --check-prefix=UNKNOWN
// RUN: not kgen-opt %s --llm-lower="provider=oracle-of-delphi" 2>&1 | FileCheck %s --check-prefix=PROVIDER

// CHECK: kgen.source @linear_0
// CHECK-SAME: kgen.idea = #kgen.idea<"
// CHECK-SAME: kgen.schedule = #kgen.schedule<family = gemm,
// CHECK: kgen.launch @linear_0::@
// CHECK-NOT: aten.
// LEVEL2: kgen.dispatch @linear_0 idea(#kgen.idea<"{{.+}}", category = {{[a-z]+}}>) schedule(#kgen.schedule<family = gemm
// UNKNOWN: llm-lower.mlir:[[@LINE+2]]:1: error: expected an idea 'perpetual_motion' for this graph, found {{[a-z]}}
// PROVIDER: oracle-of-delphi
module {
  func.func @f(%x: tensor<128x64xf32>, %w: tensor<64x64xf32>) -> tensor<128x64xf32> {
    %0 = aten.linear %x, %w : (tensor<128x64xf32>, tensor<64x64xf32>) -> tensor<128x64xf32>
    %1 = aten.relu %0 : (tensor<128x64xf32>) -> tensor<128x64xf32>
    return %1 : tensor<128x64xf32>
  }
}
