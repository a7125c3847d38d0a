//===- InspectCubin.cpp - What machine code of a card calls ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The machine code is asked, not the PTX: inline assembly can write PTX of any
// shape, and close the function that it stands in. What the driver would link
// to a kernel has to stand in the symbol table.
//
//===----------------------------------------------------------------------===//
#include "kgen/Toolchain/Resources.h"

#include "llvm/Object/ELF.h"

using namespace kgen;
using namespace kgen::toolchain;

std::string kgen::toolchain::findRuntimeCalls(llvm::StringRef cubin) {
  const char *const unreadable = "kernel.cu makes machine code whose symbols cannot be read";
  auto file = llvm::object::ELF64LEFile::create(cubin);
  if (!file)
    return llvm::consumeError(file.takeError()), unreadable;
  auto sections = file->sections();
  if (!sections)
    return llvm::consumeError(sections.takeError()), unreadable;
  for (const auto &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_SYMTAB)
      continue;
    auto symbols = file->symbols(&section);
    if (!symbols)
      return llvm::consumeError(symbols.takeError()), unreadable;
    auto strings = file->getStringTableForSymtab(section);
    if (!strings)
      return llvm::consumeError(strings.takeError()), unreadable;
    for (const auto &symbol : *symbols) {
      if (symbol.st_shndx != llvm::ELF::SHN_UNDEF || symbol.getType() != llvm::ELF::STT_FUNC)
        continue;
      auto name = symbol.getName(*strings);
      if (!name)
        return llvm::consumeError(name.takeError()), unreadable;
      if (*name != "vprintf" && *name != "__assertfail")
        return "kernel.cu calls " + name->str() +
               " of CUDA's device runtime: what it leaves behind would outlive the launch";
    }
  }
  return "";
}

std::string kgen::toolchain::findDriversRegisters(llvm::StringRef ptx) {
  // %envreg1 and 2 hold the address of the driver's workspace for grids that wait for each other. PTX has no macros
  // and no way to spell a name in pieces.
  if (ptx.contains("%envreg"))
    return "kernel.cu reads %envreg, which belongs to the driver";
  return "";
}
