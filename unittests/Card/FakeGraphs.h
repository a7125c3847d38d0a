//===- FakeGraphs.h - Captures without a card -------------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>

/// Whether STREAM is captured, which then has KERNEL as a node.
bool captureFakeLaunch(void *stream, const std::string &kernel);
