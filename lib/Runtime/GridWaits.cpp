//===- GridWaits.cpp - Which kernels wait for those before them -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Machine code says it, not the text: a text can hide what it does behind macros.
// The numbers are those of MachineCode.cpp, read off what NVRTC 13.0 makes of
// kernels that begin with griddepcontrol.wait and griddepcontrol.launch_dependents.
//
//===----------------------------------------------------------------------===//

#include "kgen/Runtime/LaunchForms.h"

#include <algorithm>
#include <cstring>
#include <elf.h>
#include <initializer_list>
#include <iterator>
#include <string>

namespace kgen::runtime {

/// Whether an operation, bits 0 to 8 of an instruction's first word, computes in registers only, or reads parameters
/// and which thread this is.
static bool isBlind(unsigned operation) {
  // clang-format off
  static const unsigned blind[] = {
      0x002, 0x005, 0x007, 0x00c, 0x010, 0x011, 0x012, // MOV, CS2R, SEL, ISETP, IADD3, LEA, LOP3
      0x016, 0x019, 0x024, 0x025, 0x035, 0x036,        // PRMT, SHF, IMAD, IMAD.WIDE, HFMA2 of constants, VIADD
      0x082, 0x090, 0x091, 0x092, 0x099, 0x0a4,        // UMOV, UIADD3, ULEA, ULOP3, USHF, UIMAD
      0x02d, 0x0b9, 0x118, 0x119, 0x182, 0x1c2, 0x1c3, // PREEXIT, ULDC, NOP, S2R, LDC, R2UR, S2UR
  };
  // clang-format on
  return std::find(std::begin(blind), std::end(blind), operation) != std::end(blind);
}

bool waitsForLaunches(const void *text, size_t count) {
  constexpr unsigned wait = 0x02e; // ACQBULK
  for (size_t i = 0; i < count; ++i) {
    uint64_t low;
    memcpy(&low, static_cast<const char *>(text) + i * 16, sizeof low);
    const unsigned operation = unsigned(low & 0x1ff), predicate = unsigned(low >> 12 & 15), always = 7;
    if (operation == wait)
      return predicate == always;
    if (!isBlind(operation))
      return false;
  }
  return false;
}

namespace {
/// The sections of a file of machine code, BYTES at DATA.
class Sections {
public:
  Sections(const void *data, size_t bytes) : at(static_cast<const char *>(data)), bytes(bytes) {
    constexpr unsigned machineOfCuda = 190;
    Elf64_Ehdr header;
    if (bytes < sizeof header)
      return;
    memcpy(&header, at, sizeof header);
    if (memcmp(header.e_ident, ELFMAG, SELFMAG) || header.e_machine != machineOfCuda ||
        header.e_shentsize != sizeof(Elf64_Shdr) || header.e_shoff > bytes ||
        (bytes - header.e_shoff) / sizeof(Elf64_Shdr) < header.e_shnum || header.e_shstrndx >= header.e_shnum)
      return;
    first = header.e_shoff;
    names = section(header.e_shstrndx);
    if (isInside(names))
      number = header.e_shnum;
  }
  /// 0 where it is no such file.
  unsigned count() const { return number; }
  Elf64_Shdr section(unsigned i) const {
    Elf64_Shdr out;
    memcpy(&out, at + first + i * sizeof out, sizeof out);
    return out;
  }
  bool isInside(const Elf64_Shdr &one) const { return one.sh_offset <= bytes && one.sh_size <= bytes - one.sh_offset; }
  bool isNamed(const Elf64_Shdr &one, const std::string &name) const {
    return names.sh_size > one.sh_name && names.sh_size - one.sh_name > name.size() &&
           !memcmp(at + names.sh_offset + one.sh_name, name.c_str(), name.size() + 1);
  }

  /// Whether the name of ONE begins like one of BEGINNINGS.
  bool begins(const Elf64_Shdr &one, std::initializer_list<const char *> beginnings) const {
    return std::any_of(beginnings.begin(), beginnings.end(), [&](const char *beginning) {
      const size_t length = strlen(beginning);
      return names.sh_size > one.sh_name && names.sh_size - one.sh_name > length &&
             !memcmp(at + names.sh_offset + one.sh_name, beginning, length);
    });
  }

private:
  const char *at;
  size_t bytes, first = 0;
  unsigned number = 0;
  Elf64_Shdr names = {};
};
} // namespace

bool waitsForLaunches(const void *cubin, size_t bytes, const char *kernel) {
  const Sections sections(cubin, bytes);
  const std::string wanted = std::string(".text.") + kernel;
  for (unsigned i = 0; i < sections.count(); ++i) {
    const Elf64_Shdr one = sections.section(i);
    if (one.sh_type == SHT_PROGBITS && sections.isInside(one) && sections.isNamed(one, wanted))
      return waitsForLaunches(static_cast<const char *>(cubin) + one.sh_offset, one.sh_size / 16);
  }
  return false;
}

/// Whether one of COUNT instructions of 16 bytes at TEXT takes an operand out of the table of addresses, constant bank
/// 4: bits 9 to 11 of its first word are 3 or 5 where an operand is constant, bits 54 to 58 are the bank.
static bool readsAddresses(const char *text, size_t count) {
  constexpr unsigned addresses = 4;
  for (size_t i = 0; i < count; ++i) {
    uint64_t low;
    memcpy(&low, text + i * 16, sizeof low);
    const unsigned form = unsigned(low >> 9 & 7);
    if ((form == 3 || form == 5) && (low >> 54 & 31) == addresses)
      return true;
  }
  return false;
}

bool keepsVariables(const void *cubin, size_t bytes) {
  const Sections sections(cubin, bytes);
  // A constant of the text (`constexpr int TILE = 64;`) lies there, too. Nothing reaches it where no instruction reads
  // an address and none has one put in when it is loaded; seen for NVRTC 13.0 and all cards from sm_75 to sm_120a.
  bool has = sections.count() == 0, reaches = has;
  for (unsigned i = 0; i < sections.count(); ++i) {
    const Elf64_Shdr one = sections.section(i);
    has |= one.sh_size && (sections.isNamed(one, ".nv.global") || sections.isNamed(one, ".nv.global.init"));
    const bool isCode = one.sh_type == SHT_PROGBITS && (one.sh_flags & SHF_EXECINSTR);
    const bool isRelocations = one.sh_type == SHT_RELA || one.sh_type == SHT_REL;
    if (isCode)
      reaches |= !sections.isInside(one) ||
                 readsAddresses(static_cast<const char *>(cubin) + one.sh_offset, size_t(one.sh_size / 16));
    else if (isRelocations && one.sh_size)
      reaches |= !sections.begins(one, {".rela.nv.constant4", ".rel.nv.constant4", ".rela.debug", ".rel.debug",
                                        ".rela.nv.global", ".rel.nv.global"});
  }
  return has && reaches;
}

} // namespace kgen::runtime
