//===- MachineCode.cpp - What instructions a cubin holds -------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// From compute capability 7.0 to 9.x an instruction has 16 bytes. Bits 0 to 8
// of its first word name the operation, bits 9 to 11 of its second word the
// width of an access to memory, and a branch holds its distance in units of
// four bytes: the low eight bits from bit 16, the rest from bit 34 on. The
// numbers below were read off what nvdisasm prints for kernels compiled for
// sm_90a; unittests/Toolchain/MachineCodeTest.cpp holds some of its lines.
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/MachineCode.h"

#include "llvm/Object/ELF.h"
#include "llvm/Support/Endian.h"

#include <algorithm>
#include <map>

using namespace kgen;
using namespace kgen::toolchain;

static constexpr size_t instructionBytes = 16;

namespace {

struct Instruction {
  uint64_t low, high;
  unsigned operation() const { return unsigned(low & 0x1ff); }
  /// Bytes, of loads and stores.
  unsigned width() const {
    static constexpr unsigned bytes[] = {1, 1, 2, 2, 4, 8, 16, 16};
    return bytes[(high >> 9) & 7];
  }
  /// Bytes from the end of this instruction to the branch's target.
  int64_t distance() const { return (int64_t(low) >> 34 << 8 | int64_t((low >> 16) & 0xff)) * 4; }
};

enum : unsigned { Branch = 0x147, Nop = 0x118, WarpgroupProduct = 0x1f0, WarpProduct = 0x3c, TryWait = 0x1a7 };

/// A loop: its first instruction and the one after its branch.
struct Loop {
  size_t begin, end;
  bool holds(const Loop &other) const { return begin <= other.begin && other.end <= end; }
};

} // namespace

/// What is counted, by nvdisasm's name. An instruction that is not here counts towards the total only.
static std::string kindOf(const Instruction &i) {
  auto sized = [&](const char *name) { return name + ("." + std::to_string(i.width() * 8)); };
  switch (i.operation()) {
  case WarpgroupProduct:
    return (i.high >> 12 & 3) == 2 ? "HGMMA.TF32" : (i.high >> 12 & 3) == 1 ? "HGMMA.BF16" : "HGMMA.F16";
  case 0x1f3:
    return "QGMMA";
  case WarpProduct:
    return i.high >> 19 & 1 ? "HMMA.TF32" : i.high >> 18 & 1 ? "HMMA.BF16" : "HMMA.F16";
  case 0x37:
    return "IMMA";
  case 0x3f:
    return "DMMA";
  case 0x23:
    return "FFMA";
  case 0x21:
    return "FADD";
  case 0x20:
    return "FMUL";
  case 0x2b:
    return "DFMA";
  case 0x30:
  case 0x31:
  case 0x32:
    return "HFMA2";
  case 0x108:
    return "MUFU";
  case 0x181:
    return sized("LDG");
  case 0x186:
    return sized("STG");
  case 0x184:
    return sized("LDS");
  case 0x188:
    return sized("STS");
  case 0x183:
    return "LDL";
  case 0x187:
    return "STL";
  case 0x180:
    return "LD";
  case 0x185:
    return "ST";
  case 0x1ae:
    return sized("LDGSTS");
  case 0x3b:
    return "LDSM";
  case 0x44:
    return "STSM";
  case 0x1b4:
    return "UTMALDG";
  case 0x1b5:
    return "UTMASTG";
  case 0x1ba:
    return "UBLKCP";
  case 0x189:
    return "SHFL";
  case 0x11d:
    return "BAR";
  case 0x1a7:
  case 0x1b2:
    return "SYNCS";
  case 0x192:
    return "MEMBAR";
  case 0x18c:
  case 0x18d:
    return "ATOMS";
  case 0x18e:
  case 0x1a3:
  case 0x1a8:
  case 0x1a9:
    return "ATOMG";
  default:
    return "";
  }
}

static candidate::InstructionCounts count(llvm::ArrayRef<Instruction> code) {
  candidate::InstructionCounts out;
  for (const Instruction &i : code) {
    if (i.operation() == Nop)
      continue;
    ++out.total;
    if (std::string kind = kindOf(i); !kind.empty())
      ++out.kinds[kind];
  }
  return out;
}

/// How much a loop looks like the one in which the kernel spends its time: products first, then arithmetic and
/// traffic.
static double busyness(llvm::ArrayRef<Instruction> code) {
  double sum = 0;
  for (const Instruction &i : code) {
    std::string kind = kindOf(i);
    sum += i.operation() == WarpgroupProduct ? 1000 : i.operation() == WarpProduct ? 100 : kind.empty() ? 0.01 : 1;
  }
  return sum;
}

void kgen::toolchain::countInstructions(llvm::StringRef text, candidate::InstructionCounts &whole,
                                        candidate::InstructionCounts &loop) {
  std::vector<Instruction> code(text.size() / instructionBytes);
  for (size_t i = 0; i < code.size(); ++i) {
    code[i].low = llvm::support::endian::read64le(text.data() + i * instructionBytes);
    code[i].high = llvm::support::endian::read64le(text.data() + i * instructionBytes + 8);
  }
  whole = count(code);
  std::vector<Loop> loops;
  for (size_t i = 0; i < code.size(); ++i) {
    if (code[i].operation() != Branch)
      continue;
    int64_t target = int64_t(i + 1) + code[i].distance() / int64_t(instructionBytes);
    // A branch to itself is how code ends; a try_wait that goes round is no work.
    if (target < 0 || target >= int64_t(i))
      continue;
    llvm::ArrayRef<Instruction> body(&code[size_t(target)], i + 1 - size_t(target));
    bool waits = body.size() < 16 && llvm::any_of(body, [](auto &one) { return one.operation() == TryWait; });
    if (!waits)
      loops.push_back({size_t(target), i + 1});
  }
  double most = 0;
  for (const Loop &one : loops) {
    if (llvm::any_of(loops, [&](const Loop &other) { return &other != &one && one.holds(other); }))
      continue;
    llvm::ArrayRef<Instruction> body(&code[one.begin], one.end - one.begin);
    if (double busy = busyness(body); busy > most) {
      most = busy;
      loop = count(body);
    }
  }
}

void kgen::toolchain::countInstructions(llvm::StringRef cubin, std::vector<candidate::KernelResources> &kernels) {
  auto file = llvm::object::ELF64LEFile::create(cubin);
  if (!file)
    return llvm::consumeError(file.takeError());
  constexpr unsigned machineOfCuda = 190;
  if (file->getHeader().e_machine != machineOfCuda)
    return;
  auto sections = file->sections();
  if (!sections)
    return llvm::consumeError(sections.takeError());
  for (const auto &section : *sections) {
    auto name = file->getSectionName(section);
    auto bytes = file->getSectionContents(section);
    if (!name || !bytes) {
      llvm::consumeError(name.takeError());
      llvm::consumeError(bytes.takeError());
      continue;
    }
    llvm::StringRef kernel = *name;
    if (!kernel.consume_front(".text."))
      continue;
    for (candidate::KernelResources &one : kernels) {
      if (one.kernel != kernel)
        continue;
      countInstructions(llvm::StringRef(reinterpret_cast<const char *>(bytes->data()), bytes->size()), one.code,
                        one.loop);
      for (const char *product :
           {"HGMMA.F16", "HGMMA.BF16", "HGMMA.TF32", "QGMMA", "HMMA.F16", "HMMA.BF16", "HMMA.TF32", "IMMA", "DMMA"})
        one.tensorCore |= one.code.kinds.count(product) != 0;
    }
  }
}
