//===- kgen-tblgen.cpp - ScheduleKeys.td as C++ and as Markdown -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//   -gen-table      the rows of lib/Schedule/Schedule.cpp
//   -gen-schedules  a typed struct for each variant, and the keys by name
//   -gen-doc        the reference page, which is also part of the prompt
//
// Records are written in the order of their declaration.
//
//===----------------------------------------------------------------------===//
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVectorExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/InitLLVM.h"
#include "llvm/TableGen/Error.h"
#include "llvm/TableGen/Main.h"
#include "llvm/TableGen/Record.h"

using namespace llvm;

namespace {

enum class Action { Table, Schedules, Doc };

cl::opt<Action> action(cl::desc("what to write:"),
                       cl::values(clEnumValN(Action::Table, "gen-table", "the rows of the table"),
                                  clEnumValN(Action::Schedules, "gen-schedules", "a struct for each variant"),
                                  clEnumValN(Action::Doc, "gen-doc", "the reference page")));

/// The records of CLASSNAME in the order of their declaration.
std::vector<const Record *> declared(const RecordKeeper &records, StringRef className) {
  std::vector<const Record *> all(records.getAllDerivedDefinitions(className));
  llvm::sort(all, [](const Record *a, const Record *b) { return a->getID() < b->getID(); });
  return all;
}

/// The type of KEY where TAKEN takes it.
const Record *typeOf(const Record *key, const Record *taken) {
  const Record *type = taken->getValueAsDef("Type");
  return type->getName() == "AllValues" ? key->getValueAsDef("Type") : type;
}

/// How VARIANT takes KEY; null when it does not. Naming a variant twice is an error.
const Record *howTaken(const Record *variant, const Record *key) {
  const Record *found = nullptr;
  for (const Record *taken : key->getValueAsListOfDefs("TakenBy"))
    if (is_contained(taken->getValueAsListOfDefs("Variants"), variant)) {
      if (found)
        PrintFatalError(key, "key '" + key->getValueAsString("Name") + "' names variant '" +
                                 variant->getValueAsString("Name") + "' twice");
      found = taken;
    }
  return found;
}

std::string nameOf(const Record *variant) {
  return (variant->getValueAsDef("Family")->getValueAsString("Name") + "/" + variant->getValueAsString("Name")).str();
}

//===----------------------------------------------------------------------===//
// -gen-table
//===----------------------------------------------------------------------===//

std::string quoted(StringRef text) {
  std::string result;
  raw_string_ostream os(result);
  os << '"';
  printEscapedString(text, os);
  os << '"';
  return result;
}

std::string listOf(ArrayRef<StringRef> words) { return "{" + join(map_to_vector(words, quoted), ", ") + "}"; }

std::string typeRow(const Record *type) {
  std::string row = "{ValueType::Kind::" + type->getValueAsString("Kind").str();
  for (StringRef field : {"Min", "Max", "Step", "MinLength", "MaxLength"})
    row += ", " + std::to_string(type->getValueAsInt(field));
  return row + ", " + listOf(type->getValueAsListOfStrings("Choices")) + ", {" +
         join(map_range(type->getValueAsListOfDefs("Parts"), typeRow), ", ") + "}}";
}

void writeTable(raw_ostream &os, const RecordKeeper &records) {
  std::vector<const Record *> variants = declared(records, "Variant"), directives = declared(records, "Directive");
  auto indexIn = [](ArrayRef<const Record *> all, const Record *record) {
    return std::to_string(llvm::find(all, record) - all.begin());
  };
  os << "#ifdef GET_FAMILIES\n";
  for (const Record *family : declared(records, "KernelFamily"))
    os << "{" << quoted(family->getValueAsString("Name")) << ", " << quoted(family->getValueAsString("Doc")) << "},\n";
  os << "#endif\n#ifdef GET_VARIANTS\n";
  for (const Record *variant : variants)
    os << "{" << quoted(variant->getValueAsDef("Family")->getValueAsString("Name")) << ", "
       << quoted(variant->getValueAsString("Name")) << ", " << quoted(variant->getValueAsString("Doc")) << "},\n";
  os << "#endif\n#ifdef GET_DIRECTIVES\n";
  for (const Record *directive : directives)
    os << "{" << quoted(directive->getValueAsString("Mnemonic")) << ", "
       << (directive->getValueAsBit("FirstIsBare") ? "true" : "false") << "},\n";
  os << "#endif\n#ifdef GET_KEYS\n";
  for (const Record *key : declared(records, "Key")) {
    std::vector<std::string> in = {indexIn(directives, key->getValueAsDef("Of"))}, taken;
    for (const Record *also : key->getValueAsListOfDefs("Also"))
      in.push_back(indexIn(directives, also));
    for (const Record *variant : variants)
      if (const Record *how = howTaken(variant, key))
        taken.push_back("{" + indexIn(variants, variant) + ", " + typeRow(typeOf(key, how)) + ", " +
                        (how->getValueAsBit("Optional") ? "true" : "false") + ", " +
                        listOf(how->getValueAsListOfStrings("Open")) + "}");
    std::vector<std::string> neighbours;
    for (int64_t value : key->getValueAsListOfInts("Neighbours"))
      neighbours.push_back(std::to_string(value));
    os << "{" << quoted(key->getValueAsString("Name")) << ", " << quoted(key->getValueAsString("Doc")) << ", "
       << typeRow(key->getValueAsDef("Type")) << ", {" << join(in, ", ") << "},\n {" << join(taken, ",\n  ") << "},\n {"
       << join(neighbours, ", ") << "}},\n";
  }
  os << "#endif\n";
}

//===----------------------------------------------------------------------===//
// -gen-schedules
//===----------------------------------------------------------------------===//

/// "MmaSync" from "mma_sync".
std::string camel(StringRef word) { return convertToCamelFromSnakeCase(word, /*capitalizeFirst=*/true); }

/// A member's name: `mmaInflight` from mma_inflight.
std::string member(StringRef key) { return convertToCamelFromSnakeCase(key); }

bool isOnOff(const Record *type) { return type->getName() == "OnOff"; }

/// The C++ type of a value of KEY, which has TYPE.
std::string cppType(const Record *key, const Record *type) {
  StringRef kind = type->getValueAsString("Kind");
  if (kind == "Ints") {
    int64_t length = type->getValueAsInt("MinLength");
    return length == type->getValueAsInt("MaxLength") ? "std::array<int64_t, " + std::to_string(length) + ">"
                                                      : "std::vector<int64_t>";
  }
  return kind != "Word" ? "int64_t" : isOnOff(type) ? "bool" : camel(key->getValueAsString("Name"));
}

void writeEnum(raw_ostream &os, const Record *key) {
  std::string name = camel(key->getValueAsString("Name"));
  std::vector<StringRef> words = key->getValueAsDef("Type")->getValueAsListOfStrings("Choices");
  os << "/// " << key->getValueAsString("Doc") << "\nenum class " << name << " { "
     << join(map_to_vector(words, camel), ", ") << " };\n";
  os << "inline const char *wordOf(" << name << " value) {\n  static constexpr const char *words[] = " << listOf(words)
     << ";\n  return words[int(value)];\n}\n";
  os << "inline void readWord(llvm::StringRef word, " << name << " &value) {\n";
  for (StringRef word : words)
    os << "  if (word == " << quoted(word) << ")\n    value = " << name << "::" << camel(word) << ";\n";
  os << "}\n\n";
}

void writeStruct(raw_ostream &os, const Record *variant, ArrayRef<const Record *> keys) {
  StringRef family = variant->getValueAsDef("Family")->getValueAsString("Name");
  std::string name = camel(family) + camel(variant->getValueAsString("Name"));
  os << "/// A completed schedule of " << nameOf(variant) << ": " << variant->getValueAsString("Doc") << ".\nstruct "
     << name << " {\n  static constexpr const char *family = " << quoted(family)
     << ", *variant = " << quoted(variant->getValueAsString("Name")) << ";\n";
  std::string body;
  for (const Record *key : keys) {
    const Record *how = howTaken(variant, key);
    if (!how)
      continue;
    bool isOptional = how->getValueAsBit("Optional");
    std::string type = cppType(key, typeOf(key, how)), field = member(key->getValueAsString("Name"));
    os << "  " << (isOptional ? "std::optional<" + type + ">" : type) << " " << field << "{}; ///< "
       << key->getValueAsString("Doc") << "\n";
    body += std::string("    ") + (isOptional ? "readOptional" : "readMember") + "(source, key::" + field +
            ", result." + field + (isOptional ? "" : ", isOpen") + ");\n";
  }
  os << "\n  /// What SOURCE holds, whose getInt, getInts and getWord give the value of a key where it has one. "
        "ISOPEN: it is\n"
     << "  /// still being completed, and members of keys that are not set are 0.\n"
     << "  template <typename Source> static " << name << " read(const Source &source, bool isOpen = false) {\n    "
     << name << " result;\n"
     << body << "    return result;\n  }\n};\n\n";
}

void writeSchedules(raw_ostream &os, const RecordKeeper &records) {
  std::vector<const Record *> keys = declared(records, "Key");
  for (const Record *key : keys)
    if (const Record *type = key->getValueAsDef("Type"); type->getValueAsString("Kind") == "Word" && !isOnOff(type))
      writeEnum(os, key);
  os << "namespace key {\n";
  for (const Record *key : keys) {
    const Record *type = key->getValueAsDef("Type");
    StringRef kind = type->getValueAsString("Kind");
    os << "inline constexpr "
       << (kind == "Ints"   ? "IntsKey"
           : kind == "Word" ? "WordKey<" + cppType(key, type) + ">"
                            : std::string("IntKey"))
       << " " << member(key->getValueAsString("Name")) << "{" << quoted(key->getValueAsString("Name")) << "};\n";
  }
  os << "} // namespace key\n\n";
  for (const Record *variant : declared(records, "Variant"))
    writeStruct(os, variant, keys);
}

//===----------------------------------------------------------------------===//
// -gen-doc
//===----------------------------------------------------------------------===//

std::string printType(const Record *type);

/// A number among others: choices are parted by bars.
std::string printPart(const Record *type) {
  return type->getValueAsString("Kind") == "IntOf" ? join(type->getValueAsListOfStrings("Choices"), "|")
                                                   : printType(type);
}

std::string printType(const Record *type) {
  StringRef kind = type->getValueAsString("Kind");
  if (kind == "IntOf" || kind == "Word")
    return join(type->getValueAsListOfStrings("Choices"), ", ");
  if (auto parts = type->getValueAsListOfDefs("Parts"); !parts.empty())
    return "[" + join(map_range(parts, printPart), ", ") + "]";
  int64_t min = type->getValueAsInt("Min"), max = type->getValueAsInt("Max"), step = type->getValueAsInt("Step");
  std::string range = std::to_string(min) + (min == max ? "" : " to " + std::to_string(max));
  if (kind == "Int")
    return range + (step == 1 ? "" : " by " + std::to_string(step));
  int64_t least = type->getValueAsInt("MinLength"), most = type->getValueAsInt("MaxLength");
  return std::to_string(least) + (least == most ? "" : " to " + std::to_string(most)) + " of " + range;
}

void writeDoc(raw_ostream &os, const RecordKeeper &records) {
  std::vector<const Record *> keys = declared(records, "Key"), variants = declared(records, "Variant");
  os << "# Kernel families\n\n| family | what it computes |\n|---|---|\n";
  for (const Record *family : declared(records, "KernelFamily"))
    os << "| `" << family->getValueAsString("Name") << "` | " << family->getValueAsString("Doc") << " |\n";
  os << "\n# Variants of a family, and the keys that each takes\n\nA key that a variant does not take is an error. "
        "Values behind a key are those that the variant takes of it; `mma`, `resident` and `split_rows` choose the "
        "variant.\n\n| variant | how it computes | keys |\n|---|---|---|\n";
  for (const Record *variant : variants) {
    std::vector<std::string> taken;
    for (const Record *key : keys)
      if (const Record *how = howTaken(variant, key)) {
        std::string text = "`" + key->getValueAsString("Name").str() + "`", all = printType(key->getValueAsDef("Type"));
        if (std::string here = printType(typeOf(key, how)); here != all)
          text += " = " + here;
        taken.push_back(text);
      }
    os << "| `" << nameOf(variant) << "` | " << variant->getValueAsString("Doc") << " | " << join(taken, "; ")
       << " |\n";
  }
  os << "\n# Schedule keys\n\n| key | values | meaning | directive |\n|---|---|---|---|\n";
  for (const Record *key : keys)
    os << "| `" << key->getValueAsString("Name") << "` | " << printType(key->getValueAsDef("Type")) << " | "
       << key->getValueAsString("Doc") << " | `" << key->getValueAsDef("Of")->getValueAsString("Mnemonic") << "` |\n";
}

bool write(raw_ostream &os, const RecordKeeper &records) {
  if (action == Action::Doc) {
    writeDoc(os, records);
    return false;
  }
  os << "// Generated by kgen-tblgen from ScheduleKeys.td.\n";
  if (action == Action::Table)
    writeTable(os, records);
  else
    writeSchedules(os, records);
  return false;
}

} // namespace

int main(int argc, char **argv) {
  InitLLVM y(argc, argv);
  cl::ParseCommandLineOptions(argc, argv);
  return TableGenMain(argv[0], write);
}
