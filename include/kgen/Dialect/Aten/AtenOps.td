//===- AtenOps.td - Every aten op ----------------------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_ATEN_ATENOPS_TD
#define KGEN_DIALECT_ATEN_ATENOPS_TD

include "kgen/Dialect/Aten/AtenContractionOps.td"
include "kgen/Dialect/Aten/AtenCreationOps.td"
include "kgen/Dialect/Aten/AtenIndexOps.td"
include "kgen/Dialect/Aten/AtenLogicOps.td"
include "kgen/Dialect/Aten/AtenNormOps.td"
include "kgen/Dialect/Aten/AtenPointwiseOps.td"
include "kgen/Dialect/Aten/AtenPoolOps.td"
include "kgen/Dialect/Aten/AtenReductionOps.td"
include "kgen/Dialect/Aten/AtenScanOps.td"
include "kgen/Dialect/Aten/AtenShapeOps.td"

#endif // KGEN_DIALECT_ATEN_ATENOPS_TD
