//===- GridWaitTest.cpp ---------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Toolchain/GridWait.h"

#include "gtest/gtest.h"

using namespace kgen::toolchain;

static const std::string gridWait = " asm volatile(\"griddepcontrol.wait;\" ::: \"memory\");";

TEST(GridWait, KernelsBeginByWaiting) {
  EXPECT_EQ(withGridWaits("extern \"C\" __global__ void k(float *x) { x[0] = 1; }\n"),
            "extern \"C\" __global__ void k(float *x) {" + gridWait + " x[0] = 1; }\n");
  // Bounds before the name and behind the return type, parentheses in parameters, a brace on a line of its own.
  EXPECT_EQ(withGridWaits(
                "__global__ __launch_bounds__(128, 2) void __cluster_dims__(2, 1, 1) k(int (*f)(int), int n)\n{\n}"),
            "__global__ __launch_bounds__(128, 2) void __cluster_dims__(2, 1, 1) k(int (*f)(int), int n)\n{" +
                gridWait + "\n}");
  EXPECT_EQ(withGridWaits("__global__ void a() {}\n__device__ void f() {}\n__global__ void b() {}"),
            "__global__ void a() {" + gridWait + "}\n__device__ void f() {}\n__global__ void b() {" + gridWait + "}");
}

TEST(GridWait, WhatIsNoKernelStays) {
  for (const char *text :
       {"", "__device__ void f() { }", "__global__ void k(float *x);\nvoid f() { }", "// __global__ void k() {}\n",
        "const char *s = \"__global__ void k() {}\";", "__global__ void k(", "__global__",
        "#define K __global__ void k() { }\n", "__global__ struct { int x; } y;"})
    EXPECT_EQ(withGridWaits(text), text);
}

TEST(GridWait, CardsFromHopperOnWait) {
  for (const char *arch : {"sm_90", "sm_90a", "sm_100a", "sm_120"})
    EXPECT_TRUE(hasGridWait(arch)) << arch;
  for (const char *arch : {"", "host", "sm_", "sm_75", "sm_80", "sm_89", "compute_90"})
    EXPECT_FALSE(hasGridWait(arch)) << arch;
}
