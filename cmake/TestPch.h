// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Precompiled for the unit tests that do not include mlir/.
#include "CommonPch.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
