// Each buffer is freed after its last use, by whatever name, in the block that allocates it.
// RUN: kgen-opt %s --split-input-file --kgen-oracle-free | FileCheck %s

// A view's last use counts, and so does one inside of a loop; a buffer that nobody reads is freed at once.
// CHECK-LABEL: func.func @straight
// CHECK: %[[A:.*]] = memref.alloc() : memref<8x4xf64>
// CHECK: %[[UNUSED:.*]] = memref.alloc() : memref<2xf64>
// CHECK-NEXT: memref.dealloc %[[UNUSED]]
// CHECK: %[[B:.*]] = memref.alloc() : memref<4xf64>
// CHECK: linalg.exp
// CHECK-NOT: dealloc
// CHECK: scf.for
// CHECK: }
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: linalg.exp ins(%[[B]]
// CHECK-NEXT: memref.dealloc %[[B]]
// CHECK-NEXT: return
func.func @straight(%x: memref<8x4xf64>, %out: memref<4xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = memref.alloc() : memref<8x4xf64>
  %unused = memref.alloc() : memref<2xf64>
  %1 = memref.alloc() : memref<4xf64>
  linalg.exp ins(%x : memref<8x4xf64>) outs(%0 : memref<8x4xf64>)
  %view = memref.subview %0[3, 0] [1, 4] [1, 1] : memref<8x4xf64> to memref<4xf64, strided<[1], offset: 12>>
  scf.for %i = %c0 to %c4 step %c1 {
    %e = memref.load %view[%i] : memref<4xf64, strided<[1], offset: 12>>
    memref.store %e, %1[%i] : memref<4xf64>
  }
  linalg.exp ins(%1 : memref<4xf64>) outs(%out : memref<4xf64>)
  return
}

// -----

// What a loop allocates it frees in each trip; what it gives is the buffer that it began with.
// CHECK-LABEL: func.func @loop
// CHECK: %[[A:.*]] = memref.alloc() : memref<4xf64>
// CHECK: scf.for
// CHECK: %[[T:.*]] = memref.alloc() : memref<4xf64>
// CHECK: linalg.tanh ins(%[[T]]
// CHECK-NEXT: memref.dealloc %[[T]]
// CHECK-NEXT: scf.yield
// CHECK: linalg.tanh
// CHECK-NEXT: memref.dealloc %[[A]]
// CHECK-NEXT: return
func.func @loop(%x: memref<4xf64>, %out: memref<4xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = memref.alloc() : memref<4xf64>
  memref.copy %x, %0 : memref<4xf64> to memref<4xf64>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %0) -> memref<4xf64> {
    %t = memref.alloc() : memref<4xf64>
    linalg.exp ins(%a : memref<4xf64>) outs(%t : memref<4xf64>)
    linalg.tanh ins(%t : memref<4xf64>) outs(%a : memref<4xf64>)
    scf.yield %a : memref<4xf64>
  }
  linalg.tanh ins(%r : memref<4xf64>) outs(%out : memref<4xf64>)
  return
}

// -----

// A loop that gives another buffer than it began with: upstream's deallocation knows whose it is.
// CHECK-LABEL: func.func @leaves
// CHECK: scf.for
// CHECK: memref.dealloc
// CHECK: return
func.func @leaves(%x: memref<4xf64>, %out: memref<4xf64>) {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  %c4 = arith.constant 4 : index
  %0 = memref.alloc() : memref<4xf64>
  memref.copy %x, %0 : memref<4xf64> to memref<4xf64>
  %r = scf.for %i = %c0 to %c4 step %c1 iter_args(%a = %0) -> memref<4xf64> {
    %t = memref.alloc() : memref<4xf64>
    linalg.exp ins(%a : memref<4xf64>) outs(%t : memref<4xf64>)
    scf.yield %t : memref<4xf64>
  }
  linalg.tanh ins(%r : memref<4xf64>) outs(%out : memref<4xf64>)
  return
}
