//===- Architectures.h - What an architecture's chips have ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Support/Chip.h"

namespace kgen {

/// The data-centre chip of ARCH ("sm_80"), or the default chip under that name when ARCH is unknown. A card that is
/// there is asked for its own numbers.
Chip chipOf(llvm::StringRef arch);

/// Whether chipOf() has numbers of ARCH's own.
bool isKnownArchitecture(llvm::StringRef arch);

/// Whether blocks of ARCH run in clusters: from sm_90 on.
bool hasClusters(llvm::StringRef arch);

} // namespace kgen
