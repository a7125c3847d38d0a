//===- KGenTransform.h - The directives, transform.kgen.* -------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extension of the transform dialect, and how a script of directives is
// applied to a graph.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Dialect/Transform/Knobs.h"
#include "kgen/Support/Chip.h"

#include "mlir/Bytecode/BytecodeOpInterface.h"
#include "mlir/Dialect/Transform/IR/TransformDialect.h"
#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.h"
#include "mlir/IR/OpDefinition.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/Error.h"

#include "kgen/Dialect/Transform/KGenTransformEnums.h.inc"

#define GET_OP_CLASSES
#include "kgen/Dialect/Transform/KGenTransformOps.h.inc"

#define GET_OP_CLASSES
#include "kgen/Dialect/Transform/KGenNetworkOps.h.inc"

namespace kgen::directive {

/// Adds transform.kgen.* and upstream's transform.tune.* to the transform dialect.
void registerTransformExtension(mlir::DialectRegistry &registry);

/// Applies SCRIPT to a clone of GRAPH and returns the clone, at level 2. SCRIPT is either a
/// module with a named sequence @__transform_main, or the body of that sequence, in which %f is
/// the graph. Only directives (transform.kgen.*), parameters and knobs are admitted. IDEA, when
/// given, is recorded on each dispatch that the script formed. A dispatch that has no kernel for CHIP under what the
/// script says of it is refused, too. The error text is one sentence with the place in the script (NAME:line:column)
/// and, where there is one, in the graph; where what was refused can be named, the error is a DirectiveRefused.
llvm::Expected<mlir::OwningOpRef<mlir::ModuleOp>> applyDirectives(mlir::ModuleOp graph, llvm::StringRef script,
                                                                  const Chip &chip, IdeaAttr idea = {},
                                                                  llvm::StringRef name = "directives");

} // namespace kgen::directive
