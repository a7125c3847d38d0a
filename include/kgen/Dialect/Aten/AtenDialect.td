//===- AtenDialect.td - The op graph's dialect ---------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_ATEN_ATENDIALECT_TD
#define KGEN_DIALECT_ATEN_ATENDIALECT_TD

include "mlir/IR/OpBase.td"

def Aten_Dialect : Dialect {
  let name = "aten";
  let cppNamespace = "::kgen::aten";
  let summary = "PyTorch's ATen ops as functional ops on static-shape tensors";
  let description = [{
    One op per ATen overload, with ATen's names, argument order and meaning, in
    inference mode and without mutation. The mnemonic is the packet name, plus
    `.overload` unless the overload is `default`. Operands and attributes carry
    the schema's argument names; an attribute at its schema default is not
    printed. Result types are written in the text and checked against what the
    op infers from its operands, so that changing an argument's type and
    inferring again (`kgen-resize`) gives the same graph at another size.

    Left out because they are not part of an op's meaning: dtype overrides,
    cuDNN switches, momentum of running statistics.
  }];
}

#endif // KGEN_DIALECT_ATEN_ATENDIALECT_TD
