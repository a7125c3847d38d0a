// RUN: not kgen-translate --kgen-to-cuda %s 2>&1 | FileCheck %s

// CHECK: error: expected a lowered module, found no kgen.source
module {
}
