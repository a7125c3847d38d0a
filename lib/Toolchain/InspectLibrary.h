//===- InspectLibrary.h - What a shared library does when loaded ----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <cstdint>
#include <map>
#include <string>

namespace kgen::toolchain {

/// What in the shared library at PATH would run or reach out before anyone calls it; empty: nothing. Judged by
/// what the loader reads (the dynamic section, relocations, dynamic symbols), not by section names, which
/// assembly can choose. SIZES receives every section's size by name.
std::string inspectLibrary(const std::string &path, std::map<std::string, uint64_t> &sizes);

} // namespace kgen::toolchain
