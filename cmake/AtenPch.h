// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precompiled for what includes the dialect aten: its ops are 45 000 generated lines, a second in each file that reads them.
#include "MLIRPch.h"

#include "kgen/Dialect/Aten/Aten.h"
