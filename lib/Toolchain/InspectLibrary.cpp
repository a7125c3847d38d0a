//===- InspectLibrary.cpp - What a shared library does when loaded --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "InspectLibrary.h"

#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Toolchain/Cache.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"
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

/// Memory that outlives a launch on a card; device host's execution model asks for none either.
static bool usesHeap(llvm::StringRef name) {
  return name.starts_with("_Zn") ||
         llvm::StringSwitch<bool>(name)
             .Cases({"malloc", "calloc", "realloc", "reallocarray", "aligned_alloc", "posix_memalign", "memalign"},
                    true)
             .Cases({"valloc", "pvalloc", "free", "strdup", "strndup", "sbrk", "brk", "mmap", "mmap64", "mremap"}, true)
             .Cases({"__libc_malloc", "__libc_calloc", "__libc_realloc", "__libc_memalign"}, true)
             .Default(false);
}

/// A function of the mathematical library, without the letter of its type.
static bool isMath(llvm::StringRef name) {
  return llvm::StringSwitch<bool>(name)
      .Cases({"acos", "acosh", "asin", "asinh", "atan", "atan2", "atanh", "cbrt", "ceil", "copysign", "cos"}, true)
      .Cases({"cosh", "erf", "erfc", "exp", "exp10", "exp2", "expm1", "fabs", "fdim", "floor", "fma", "fmax"}, true)
      .Cases({"fmin", "fmod", "frexp", "hypot", "ilogb", "j0", "j1", "jn", "ldexp", "lgamma", "llrint"}, true)
      .Cases({"llround", "log", "log10", "log1p", "log2", "logb", "lrint", "lround", "modf", "nan"}, true)
      .Cases({"nearbyint", "nextafter", "pow", "remainder", "remquo", "rint", "round", "roundeven"}, true)
      .Cases({"scalbln", "scalbn", "sin", "sincos", "sinh", "sqrt", "tan", "tanh", "tgamma", "trunc"}, true)
      .Cases({"y0", "y1", "yn"}, true)
      .Default(false);
}

/// What a kernel, and the execution model around it, may call. Everything else of the C library is of no use to device
/// code, and much of it keeps something, or leads to the system.
static bool isNeeded(llvm::StringRef name) {
  const bool plain =
      llvm::StringSwitch<bool>(name)
          .Cases({"memcpy", "memmove", "memset", "memcmp", "bcmp", "strlen", "snprintf"}, true)
          .Cases({"printf", "puts", "putchar", "vprintf"}, true) // it prints: a FAULT, and no more
          .Case("__cxa_pure_virtual", true)
          // The compiler's own arithmetic, on types that the processor has not.
          .Cases({"__eqhf2", "__nehf2", "__extendhfsf2", "__extendhfdf2", "__truncsfhf2", "__truncdfhf2"}, true)
          .Cases({"__truncsfbf2", "__truncdfbf2", "__fixhfti", "__fixunshfti", "__floattihf", "__floatuntihf"}, true)
          .Cases({"__divti3", "__modti3", "__udivti3", "__umodti3", "__multi3", "__popcountdi2"}, true)
          .Cases({"__powisf2", "__powidf2"}, true)
          .Default(false);
  if (plain || isMath(name) || (name.ends_with("f") && isMath(name.drop_back())))
    return true;
  // The same for several numbers at once.
  return name.starts_with("_ZGV") && name.contains("_");
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
      if (symbol.getBinding() == llvm::ELF::STB_GNU_UNIQUE)
        return "a name that is one in all of a process";
      if (symbol.getType() == llvm::ELF::STT_TLS || *name == "__tls_get_addr")
        return "a variable of a host's thread";
      if (symbol.st_shndx != llvm::ELF::SHN_UNDEF || name->empty())
        continue;
      if (usesHeap(*name))
        return "a call of " + name->str() + ": memory from the heap would outlive the launch";
      if (!isNeeded(*name))
        return "a use of " + candidate::printable(*name) + ", which is not in it and which device code has no need of";
    }
  }
  return "";
}

/// Where compilers and linkers put things, and device host shared memory.
static bool isUsual(llvm::StringRef section) {
  for (llvm::StringRef usual : {".text", ".rodata", ".data", ".bss", ".rela", ".eh_frame", ".note", ".gnu", ".got"})
    if (section == usual || section.starts_with((usual + ".").str()) || section == (usual + "_hdr").str())
      return true;
  return section.starts_with("kgen_shared_") ||
         llvm::StringSwitch<bool>(section)
             .Cases({".dynamic", ".dynsym", ".dynstr", ".hash", ".plt", ".plt.got", ".plt.sec", ".relr.dyn"}, true)
             .Cases({".tm_clone_table", ".gcc_except_table"}, true)
             .Default(false);
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
    if (section.sh_flags & llvm::ELF::SHF_TLS)
      return "a variable of a host's thread";
    if ((section.sh_flags & llvm::ELF::SHF_ALLOC) && !isUsual(*name))
      return "a section " + candidate::printable(*name) + ", which no compiler makes by itself";
  }
  auto headers = file->program_headers();
  if (!headers) {
    llvm::consumeError(headers.takeError());
    return none;
  }
  for (const auto &header : *headers)
    if ((header.p_flags & llvm::ELF::PF_X) && (header.p_flags & llvm::ELF::PF_W))
      return "memory that is written and executed";
  return inspectDynamic(*file);
}
