// RUN: kgen-opt %s -split-input-file -verify-diagnostics

transform.sequence failures(propagate) {
^bb0(%f: !transform.any_op):
  // expected-error @+1 {{expected the name of an aten op like "aten.conv2d", found "conv2d"}}
  %d = transform.kgen.select "conv2d" in %f
}

// -----

transform.sequence failures(propagate) {
^bb0(%f: !transform.any_op):
  // expected-error @+1 {{expected a number from 0, found -1}}
  %d = transform.kgen.select "aten.conv2d" number -1 in %f
}

// -----

transform.sequence failures(propagate) {
^bb0(%f: !transform.any_op):
  // expected-error @+1 {{unknown kernel family 'convolution', expected one of generic, }}
  %d = transform.kgen.select "aten.conv2d" in %f as convolution
}

// -----

transform.sequence failures(propagate) {
^bb0(%d: !transform.any_op):
  // expected-error @+1 {{expected a count from 1 to 1000, all or any}}
  transform.kgen.fuse %d consumers -1
}

// -----

transform.sequence failures(propagate) {
^bb0(%d: !transform.any_op):
  // expected-error @+1 {{schedule key 'stages' expected an integer from 2 to 8, found 9}}
  transform.kgen.pipeline %d cp_async stages = 9
}

// -----

transform.sequence failures(propagate) {
^bb0(%d: !transform.any_op):
  // expected-error @+1 {{schedule key 'vec' expected one of 1, 2, 4, 8, 16, found 3}}
  transform.kgen.vec %d 3
}

// -----

transform.sequence failures(propagate) {
^bb0(%d: !transform.any_op):
  // expected-error @+1 {{schedule key 'tile' expected integers from 1 to 4096, found 0}}
  transform.kgen.tile %d [128, 0, 32]
}

// -----

transform.sequence failures(propagate) {
^bb0(%d: !transform.any_op):
  // expected-error @+1 {{'stages' is set twice}}
  transform.kgen.pipeline %d stages = 2 stages = 3
}

// -----

transform.sequence failures(propagate) {
^bb0(%d: !transform.any_op):
  // expected-error @+1 {{expected one of pipeline, stages}}
  transform.kgen.pipeline %d cp_async, depth = 3
}

// -----

transform.sequence failures(propagate) {
^bb0(%d: !transform.any_op):
  // expected-error @+1 {{expected a value for pipeline or stages}}
  "transform.kgen.pipeline"(%d) {settings = {}} : (!transform.any_op) -> ()
}

// -----

transform.sequence failures(propagate) {
^bb0(%d: !transform.any_op):
  // expected-error @+1 {{expected one of pipeline, stages, found 'tile'}}
  "transform.kgen.pipeline"(%d) {settings = {tile = 4}} : (!transform.any_op) -> ()
}

// -----

transform.sequence failures(propagate) {
^bb0(%d: !transform.any_op):
  // expected-error @+1 {{expected 1 parameters, found 0}}
  "transform.kgen.pipeline"(%d) {settings = {stages}} : (!transform.any_op) -> ()
}
