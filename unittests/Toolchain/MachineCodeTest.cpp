//===- MachineCodeTest.cpp ------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Toolchain/MachineCode.h"
#include "kgen/Runtime/LaunchForms.h"

#include "llvm/Support/Endian.h"
#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::toolchain;

namespace {

using Words = std::vector<std::pair<uint64_t, uint64_t>>;

std::string bytesOf(const Words &words) {
  std::string out(words.size() * 16, '\0');
  for (size_t i = 0; i < words.size(); ++i) {
    llvm::support::endian::write64le(&out[i * 16], words[i].first);
    llvm::support::endian::write64le(&out[i * 16 + 8], words[i].second);
  }
  return out;
}

/// What nvdisasm 13.0 prints behind the instructions of `a += dot(x[i], y[i])`, compiled for sm_90a.
const Words dotProduct = {
    {0x00000a00ff017b82, 0x000fe20000000800}, // LDC
    {0x00000000ff0b7435, 0x000fe200000001ff}, // HFMA2.MMA R11, -RZ, RZ, 0, 0: a constant, no arithmetic
    {0x0000000000580947, 0x000fea0003800000}, // @P0 BRA, forward
    {0x0000000c00087202, 0x000fe20000000f00}, // .L_x_2: MOV
    {0x0000000602047981, 0x0000aa000c1e1d00}, // LDG.E.128
    {0x0000000608087981, 0x0002a2000c1e1900}, // LDG.E
    {0x000001000a0a7836, 0x000fca0000000000}, // VIADD
    {0x000000080a007c0c, 0x000fe4000bf06270}, // ISETP
    {0x000004000c0c7810, 0x000fe40007f5e0ff}, // IADD3
    {0x0000100002027810, 0x001fc60007f3e0ff}, // IADD3
    {0x000000ffff097224, 0x002fe200010e0609}, // IMAD.X
    {0x00000003ff037210, 0x000fe20000ffe4ff}, // IADD3.X
    {0x0000000804047223, 0x004fc8000000000b}, // FFMA
    {0x0000000805057223, 0x000fc80000000004}, // FFMA
    {0x0000000806067223, 0x000fc80000000005}, // FFMA
    {0x00000008070b7223, 0x000fe20000000006}, // FFMA
    {0xfffffffc00c88947, 0x000fec000383ffff}, // @!P0 BRA .L_x_2
    {0x0000000b04007988, 0x000fe20008000804}, // STS
    {0x0000000000007b1d, 0x000fe20000010000}, // BAR.SYNC
    {0x0000000405057984, 0x000e280008000800}, // LDS
    {0x0000000502007986, 0x001fe2000c101906}, // STG.E
    {0x000000000000794d, 0x000fea0003800000}, // EXIT
    {0xfffffffc00fc7947, 0x000fc0000383ffff}, // BRA to itself
    {0x0000000000007918, 0x000fc00000000000}, // NOP
};

TEST(MachineCode, CountsKindsAndFindsTheLoop) {
  candidate::InstructionCounts whole, loop;
  countInstructions(bytesOf(dotProduct), whole, loop);
  EXPECT_EQ(whole.total, 23); // without the NOP
  EXPECT_EQ(whole.kinds,
            (std::map<std::string, int>{
                {"BAR", 1}, {"FFMA", 4}, {"LDG.128", 1}, {"LDG.32", 1}, {"LDS.32", 1}, {"STG.32", 1}, {"STS.32", 1}}));
  EXPECT_EQ(loop.total, 14); // from the branch's target to the branch
  EXPECT_EQ(loop.kinds, (std::map<std::string, int>{{"FFMA", 4}, {"LDG.128", 1}, {"LDG.32", 1}}));
}

TEST(MachineCode, TellsMatrixInstructionsApart) {
  candidate::InstructionCounts whole, loop;
  countInstructions(bytesOf({{0x00000000041879f0, 0x000fe2000c0008ff},   // HGMMA.64x8x16.F32
                             {0x00000000041879f0, 0x000fe2000c0018ff},   // HGMMA.64x8x16.F32.BF16
                             {0x04000000041879f0, 0x000fe2000c0028ff},   // HGMMA.64x8x8.F32.TF32
                             {0x000000041c187df0, 0x000fe6000c0008ff},   // HGMMA, A in registers
                             {0x000000060808723c, 0x004fde00000018ff},   // HMMA.16816.F32
                             {0x000000060808723c, 0x004fde00000418ff},   // HMMA.16816.F32.BF16
                             {0x000000060808723c, 0x004fde00000810ff}}), // HMMA.1688.F32.TF32
                    whole, loop);
  EXPECT_EQ(whole.kinds, (std::map<std::string, int>{{"HGMMA.BF16", 1},
                                                     {"HGMMA.F16", 2},
                                                     {"HGMMA.TF32", 1},
                                                     {"HMMA.BF16", 1},
                                                     {"HMMA.F16", 1},
                                                     {"HMMA.TF32", 1}}));
  EXPECT_EQ(loop.total, 0);
}

TEST(MachineCode, AWaitIsNoLoop) {
  Words words(4, {0x0000000004047223, 0x000fc80000000004});  // FFMA
  words.push_back({0x03800004ff0075a7, 0x000e640008000158}); // SYNCS.PHASECHK.TRYWAIT
  words.push_back({0xfffffffc00f88947, 0x002fea000383ffff}); // @!P0 BRA to the line before
  candidate::InstructionCounts whole, loop;
  countInstructions(bytesOf(words), whole, loop);
  EXPECT_EQ(whole.kinds["SYNCS"], 1);
  EXPECT_EQ(loop.total, 0);
}

TEST(MachineCode, LeavesOtherFilesAlone) {
  std::vector<candidate::KernelResources> kernels(1);
  kernels[0].kernel = "k";
  for (std::string text : {std::string(),
                           std::string("\x7f"
                                       "ELF"),
                           std::string(4096, 'x')}) {
    countInstructions(text, kernels);
    EXPECT_EQ(kernels[0].code.total, 0);
  }
}

/// What NVRTC 13.0 makes of `griddepcontrol.wait` in front of `a[i] = b[i] + 1`, for sm_90a.
const Words waiting = {
    {0x00000a00ff017b82, 0x000fe20000000800}, // LDC
    {0x0000000000077919, 0x000e2e0000002100}, // S2R
    {0x0000820000047ab9, 0x000fce0000000a00}, // ULDC
    {0x000000000000782e, 0x000fcc0000000000}, // ACQBULK
    {0x0000000402027981, 0x000ea2000c1e1900}, // LDG
};

TEST(MachineCode, KnowsWhoWaitsForLaunches) {
  auto waits = [](const Words &words) { return runtime::waitsForLaunches(bytesOf(words).data(), words.size()); };
  EXPECT_TRUE(waits(waiting));
  EXPECT_FALSE(waits({}));
  // What cards of before 9.0 have, and kernels without it.
  Words without = waiting;
  without.erase(without.begin() + 3);
  EXPECT_FALSE(waits(without));
  // Memory, a barrier or a branch in front of it could see what is not there yet.
  for (auto early : {Words::value_type{0x0000000402027981, 0x000ea2000c1e1900},
                     {0x0000000000007b1d, 0x000fe20000010000},
                     {0x0000000000580947, 0x000fea0003800000}}) {
    Words late = waiting;
    late.insert(late.begin() + 1, early);
    EXPECT_FALSE(waits(late));
  }
  // Some threads only: @P0.
  Words some = waiting;
  some[3].first = 0x000000000000082e;
  EXPECT_FALSE(waits(some));
}

TEST(MachineCode, WhatIsNoMachineCodeWaitsForNothing) {
  std::string bytes = "no machine code";
  EXPECT_FALSE(runtime::waitsForLaunches(bytes.data(), bytes.size(), "k"));
  bytes.assign(4096, '\xff');
  bytes.replace(0, 4,
                "\x7f"
                "ELF");
  EXPECT_FALSE(runtime::waitsForLaunches(bytes.data(), bytes.size(), "k"));
  EXPECT_FALSE(runtime::waitsForLaunches(nullptr, 0, "k"));
  // Nobody knows what it keeps.
  EXPECT_TRUE(runtime::keepsVariables(bytes.data(), bytes.size()));
  EXPECT_TRUE(runtime::keepsVariables(nullptr, 0));
}

} // namespace
