// RUN: kgen-opt %s --kgen-oracle-outline | FileCheck %s

// Two equal steps are one function; constants travel with them; what has another body is another function.
// CHECK: func.func private @step(%[[A:[a-z0-9]+]]: memref<4xf64>, %[[B:[a-z0-9]+]]: memref<4xf64>)
// CHECK-SAME: passthrough = ["noinline"]
// CHECK: arith.constant 2.0
// CHECK: linalg.generic {{.*}} ins(%[[A]] : memref<4xf64>) outs(%[[B]] : memref<4xf64>)
// CHECK: func.func private @[[OTHER:step_[0-9]+]]
// CHECK: arith.addf
// CHECK: func.func private @[[COPY:step_[0-9]+]]
// CHECK: memref.copy
// CHECK-LABEL: func.func @two
// CHECK-SAME: (%[[X:[a-z0-9]+]]: memref<4xf64>, %[[Y:[a-z0-9]+]]: memref<4xf64>)
// CHECK: call @step(%[[X]], %[[T:[a-z0-9]+]])
// CHECK: call @step(%[[T]], %[[Y]])
// CHECK: call @[[OTHER]](%[[Y]], %[[T]])
// CHECK: call @[[COPY]](%[[T]], %[[Y]])
#same = affine_map<(d0) -> (d0)>
func.func @two(%x: memref<4xf64>, %y: memref<4xf64>) {
  %two = arith.constant 2.0 : f64
  %t = memref.alloc() : memref<4xf64>
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%x : memref<4xf64>) outs(%t : memref<4xf64>) {
  ^bb0(%in: f64, %out: f64):
    %0 = arith.mulf %in, %two : f64
    linalg.yield %0 : f64
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%t : memref<4xf64>) outs(%y : memref<4xf64>) {
  ^bb0(%in: f64, %out: f64):
    %0 = arith.mulf %in, %two : f64
    linalg.yield %0 : f64
  }
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%y : memref<4xf64>) outs(%t : memref<4xf64>) {
  ^bb0(%in: f64, %out: f64):
    %0 = arith.addf %in, %two : f64
    linalg.yield %0 : f64
  }
  memref.copy %t, %y : memref<4xf64> to memref<4xf64>
  memref.dealloc %t : memref<4xf64>
  return
}

// One step stays where it is.
// CHECK-LABEL: func.func @one
// CHECK: linalg.generic
func.func @one(%x: memref<4xf64>, %y: memref<4xf64>) {
  linalg.generic {indexing_maps = [#same, #same], iterator_types = ["parallel"]} ins(%x : memref<4xf64>) outs(%y : memref<4xf64>) {
  ^bb0(%in: f64, %out: f64):
    %0 = arith.negf %in : f64
    linalg.yield %0 : f64
  }
  return
}
