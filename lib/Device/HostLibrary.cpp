//===- HostLibrary.cpp - The variables of a loaded kernel library ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HostLibrary.h"

#include "kgen/Toolchain/Cache.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/Object/ELF.h"

#include <algorithm>
#include <cstring>
#include <dlfcn.h>

using namespace kgen;
using namespace kgen::device;

/// Of one section: a kernel may have gigabytes of variables.
static constexpr size_t mostTouched = 4u << 20;

/// The variables of lib/Device/host, each by its whole name: what a kernel names alike is the kernel's.
static bool isRuntimes(llvm::StringRef symbol) {
  return llvm::StringSwitch<bool>(symbol)
      .Cases({"_ZL9threadIdx", "_ZL8blockIdx", "_ZL8blockDim", "_ZL7gridDim", "_ZN9kgen_hostL11threadTableE",
              "_ZN9kgen_hostL5blockE", "_ZN9kgen_hostL6hopperE", "_ZN9kgen_hostL12staticSharedE",
              "_ZN9kgen_hostL15staticSharedEndE"},
             true)
      .Default(false);
}

/// Shared memory: a launch's own, and variables of functions (_ZZ), which are __shared__ ones of device functions here.
/// So are the marks that they were constructed (_ZGVZ), which g++ makes for arrays of __half.
static bool isShared(llvm::StringRef symbol) {
  return symbol == "kgen_host_dynamic_shared" || symbol.starts_with("_ZZ") || symbol.starts_with("_ZGVZ");
}

llvm::Error HostLibrary::remember(const void *inside, llvm::StringRef artifact) {
  Dl_info where = {};
  if (dladdr(inside, &where) == 0)
    return llvm::createStringError("cannot find where %s was loaded", artifact.str().c_str());
  char *base = static_cast<char *>(where.dli_fbase);
  auto text = toolchain::readWholeFile(artifact.str(), 1u << 30);
  if (!text)
    return text.takeError();
  auto file = llvm::object::ELF64LEFile::create(*text);
  if (!file)
    return file.takeError();
  auto sections = file->sections();
  if (!sections)
    return sections.takeError();
  auto headers = file->program_headers();
  if (!headers)
    return headers.takeError();
  // The loader fills tables of addresses, and makes them read-only; what the compiler keeps there is constant, too.
  auto isSealed = [&](uint64_t address) {
    return llvm::any_of(*headers, [&](const auto &header) {
      return header.p_type == llvm::ELF::PT_GNU_RELRO && address >= header.p_vaddr &&
             address < header.p_vaddr + header.p_memsz;
    });
  };
  std::vector<char> writable(sections->size());
  for (size_t i = 0; i < sections->size(); ++i) {
    const auto &section = (*sections)[i];
    auto name = file->getSectionName(section);
    if (!name)
      return name.takeError();
    bool data = (*name == ".data" || *name == ".bss" || name->starts_with(".data.") || name->starts_with(".bss.")) &&
                !isSealed(section.sh_addr);
    writable[i] = data;
    if (data || name->starts_with("kgen_shared_"))
      pages.push_back({base + section.sh_addr, std::min(size_t(section.sh_size), mostTouched), true});
  }
  for (const auto &section : *sections) {
    if (section.sh_type != llvm::ELF::SHT_SYMTAB)
      continue;
    auto symbols = file->symbols(&section);
    auto names = file->getStringTableForSymtab(section);
    if (!symbols)
      return symbols.takeError();
    if (!names)
      return names.takeError();
    for (const auto &symbol : *symbols) {
      if (symbol.getType() != llvm::ELF::STT_OBJECT || symbol.st_shndx >= writable.size() ||
          !writable[symbol.st_shndx] || symbol.st_size == 0)
        continue;
      auto name = symbol.getName(*names);
      if (!name)
        return name.takeError();
      if (isRuntimes(*name) || isShared(*name))
        continue;
      char *at = base + symbol.st_value;
      own.push_back({at, std::vector<char>(at, at + symbol.st_size)});
    }
  }
  for (const auto &header : *headers)
    if (header.p_type == llvm::ELF::PT_LOAD && !(header.p_flags & llvm::ELF::PF_W))
      pages.push_back({base + header.p_vaddr, size_t(header.p_memsz), false});
  return llvm::Error::success();
}

bool HostLibrary::changed() const {
  for (const Segment &variable : own)
    if (memcmp(variable.at, variable.bytes.data(), variable.bytes.size()) != 0)
      return true;
  return false;
}

void HostLibrary::touch() const {
  for (const Pages &part : pages)
    touchPages(part.at, part.bytes, part.writable);
}

void kgen::device::touchPages(char *at, size_t bytes, bool write) {
  constexpr size_t page = 4096;
  char *end = at + bytes;
  for (char *p = at; p < end; p = reinterpret_cast<char *>((reinterpret_cast<uintptr_t>(p) / page + 1) * page)) {
    volatile char *one = p;
    char value = *one;
    if (write)
      *one = value;
  }
}
