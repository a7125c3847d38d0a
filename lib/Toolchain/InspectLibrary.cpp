//===- InspectLibrary.cpp - What a shared library does when loaded --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "InspectLibrary.h"

#include "kgen/Toolchain/Cache.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Object/ELF.h"

using namespace kgen;
using namespace kgen::toolchain;
using llvm::object::ELF64LEFile;

static const char *const atLoad = "host code that runs when it is loaded (a global with a constructor?)";

/// Entries of the dynamic section that make the loader call or load something.
static std::string inspectDynamic(const ELF64LEFile &file) {
  auto entries = file.dynamicEntries();
  if (!entries) {
    llvm::consumeError(entries.takeError());
    return "no dynamic section";
  }
  uint64_t strings = 0;
  for (const auto &entry : *entries)
    if (entry.getTag() == llvm::ELF::DT_STRTAB)
      strings = entry.getVal();
  for (const auto &entry : *entries) {
    switch (entry.getTag()) {
    case llvm::ELF::DT_INIT:
    case llvm::ELF::DT_INIT_ARRAY:
    case llvm::ELF::DT_PREINIT_ARRAY:
    case llvm::ELF::DT_FINI:
    case llvm::ELF::DT_FINI_ARRAY:
      return atLoad;
    case llvm::ELF::DT_RPATH:
    case llvm::ELF::DT_RUNPATH:
    case llvm::ELF::DT_AUXILIARY:
    case llvm::ELF::DT_FILTER:
    case 0x6ffffefc: // DT_AUDIT
    case 0x6ffffefb: // DT_DEPAUDIT
    case 0x6ffffefa: // DT_CONFIG
      return "a library that loads others";
    case llvm::ELF::DT_NEEDED: {
      auto name = file.toMappedAddr(strings + entry.getVal());
      if (!name) {
        llvm::consumeError(name.takeError());
        return "no names in its dynamic section";
      }
      bool known = llvm::StringSwitch<bool>(reinterpret_cast<const char *>(*name))
                       .Cases({"libc.so.6", "libm.so.6", "libgcc_s.so.1", "libstdc++.so.6", "libmvec.so.1"}, true)
                       .Default(false);
      if (!known)
        return "a library that loads others";
      break;
    }
    default:
      break;
    }
  }
  return "";
}

/// Memory that nobody clears between launches; the host's execution model itself asks for none of these.
static bool usesHeap(llvm::StringRef name) {
  return name.starts_with("_Zn") || llvm::StringSwitch<bool>(name)
                                        .Cases({"malloc", "calloc", "aligned_alloc", "posix_memalign", "memalign",
                                                "valloc", "pvalloc", "strdup", "sbrk", "brk"},
                                               true)
                                        .Default(false);
}

/// Functions that the loader, or a look-up by name, would call to learn an address.
static std::string inspectFunctions(const ELF64LEFile &file, const ELF64LEFile::Elf_Shdr &section) {
  if (section.sh_type == llvm::ELF::SHT_RELA) {
    auto relocations = file.relas(section);
    if (!relocations) {
      llvm::consumeError(relocations.takeError());
      return "unreadable relocations";
    }
    for (const auto &relocation : *relocations)
      if (relocation.getType(false) == llvm::ELF::R_X86_64_IRELATIVE)
        return "a function that is chosen when it is loaded";
  }
  if (section.sh_type == llvm::ELF::SHT_DYNSYM) {
    auto symbols = file.symbols(&section);
    if (!symbols) {
      llvm::consumeError(symbols.takeError());
      return "unreadable symbols";
    }
    auto strings = file.getStringTableForSymtab(section);
    if (!strings) {
      llvm::consumeError(strings.takeError());
      return "unreadable symbols";
    }
    for (const auto &symbol : *symbols) {
      if (symbol.getType() == llvm::ELF::STT_GNU_IFUNC && symbol.st_shndx != llvm::ELF::SHN_UNDEF)
        return "a function that is chosen when it is loaded";
      auto name = symbol.getName(*strings);
      if (!name) {
        llvm::consumeError(name.takeError());
        return "unreadable symbols";
      }
      if (symbol.st_shndx == llvm::ELF::SHN_UNDEF && usesHeap(*name))
        return "a call of " + name->str() + ": memory from the heap would outlive the launch";
    }
  }
  return "";
}

std::string kgen::toolchain::inspectLibrary(const std::string &path, std::map<std::string, uint64_t> &sizes) {
  const char *const none = "no machine code";
  auto text = readWholeFile(path);
  if (!text) {
    llvm::consumeError(text.takeError());
    return none;
  }
  auto file = ELF64LEFile::create(*text);
  if (!file) {
    llvm::consumeError(file.takeError());
    return none;
  }
  auto sections = file->sections();
  if (!sections) {
    llvm::consumeError(sections.takeError());
    return none;
  }
  for (const auto &section : *sections) {
    if (std::string why = inspectFunctions(*file, section); !why.empty())
      return why;
    if (section.sh_type == llvm::ELF::SHT_INIT_ARRAY || section.sh_type == llvm::ELF::SHT_PREINIT_ARRAY ||
        section.sh_type == llvm::ELF::SHT_FINI_ARRAY)
      return atLoad;
    auto name = file->getSectionName(section);
    if (!name) {
      llvm::consumeError(name.takeError());
      continue;
    }
    sizes[name->str()] = section.sh_size;
  }
  return inspectDynamic(*file);
}
