//===- Nvml.h - Clock, power and temperature of a card --------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Device/Device.h"

namespace kgen::device {

/// From NVML, loaded at run time, for the card at PCI address BUS; zeros where it is not there.
candidate::Conditions queryConditions(const char *bus);

} // namespace kgen::device
