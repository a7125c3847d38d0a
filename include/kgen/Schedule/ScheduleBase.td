//===- ScheduleBase.td - What a schedule key's declaration says -*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The classes behind ScheduleKeys.td. kgen-tblgen reads the records; so does
// mlir-tblgen, for the transform.kgen.* ops.
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_SCHEDULE_SCHEDULEBASE
#define KGEN_SCHEDULE_SCHEDULEBASE

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

class ValueType<string kind> {
  string Kind = kind;
  int Min = 0;
  int Max = 0;
  int MinLength = 0;
  int MaxLength = 0;
  /// Numbers are its multiples.
  int Step = 1;
  list<string> Choices = [];
  /// Ints whose numbers have types of their own.
  list<ValueType> Parts = [];
}
/// key = 4; a multiple of STEP
class IntFrom<int min, int max, int step = 1> : ValueType<"Int"> {
  let Min = min;
  let Max = max;
  let Step = step;
}
/// key = 4, one of those
class IntOf<list<int> values> : ValueType<"IntOf"> {
  let Choices = !foreach(value, values, !cast<string>(value));
}
/// key = [128, 96, 32]; as long as MINLENGTH to MAXLENGTH, each number from MIN to MAX
class IntsFrom<int minLength, int maxLength, int min, int max> : ValueType<"Ints"> {
  let MinLength = minLength;
  let MaxLength = maxLength;
  let Min = min;
  let Max = max;
}
/// key = [128, 96, 32]; a number of each of PARTS, which are IntFrom and IntOf
class IntsOf<list<ValueType> parts> : ValueType<"Ints"> {
  let MinLength = !size(parts);
  let MaxLength = !size(parts);
  let Parts = parts;
}
/// key = none
class WordOf<list<string> words> : ValueType<"Word"> {
  let Choices = words;
}
/// key = on; a bool in C++
def OnOff : WordOf<["on", "off"]>;

//===----------------------------------------------------------------------===//
// Families and their variants
//===----------------------------------------------------------------------===//

class KernelFamily<string name, string doc> {
  string Name = name;
  string Doc = doc;
}
/// One way in which a family computes: a template of its own, with the keys that it takes.
class Variant<KernelFamily family, string name, string doc> {
  KernelFamily Family = family;
  string Name = name;
  string Doc = doc;
}

//===----------------------------------------------------------------------===//
// Directives and keys
//===----------------------------------------------------------------------===//

/// transform.kgen.MNEMONIC, which sets the keys that name it. CLASSNAME is that of its op in C++, CATEGORY the letter
/// of the seed category: M memory, A asynchronous, D data type, C computation, P parallelism, L loops. EXAMPLE is what
/// stands behind the handle.
class Directive<string className, string mnemonic, string category, string example> {
  string ClassName = className;
  string Mnemonic = mnemonic;
  string Category = category;
  string Example = example;
  /// Whether the catalogue leaves out the name of the first key.
  bit FirstIsBare = 1;
}

/// The values that the key itself has.
def AllValues : ValueType<"">;

/// Who takes a key. VARIANTS take it as it is; a TYPE narrows the values there, and so tells the variants of a family
/// apart. OPEN are values worth a try where a variant is chosen and the key is not set.
class Taken<list<Variant> variants, ValueType type = AllValues, list<string> open = []> {
  list<Variant> Variants = variants;
  ValueType Type = type;
  list<string> Open = open;
  /// A completed schedule may lack it.
  bit Optional = 0;
}
class MayTake<list<Variant> variants, ValueType type = AllValues> : Taken<variants, type> {
  let Optional = 1;
}

/// One schedule key. The first declared key of a directive may leave out its name there.
class Key<string name, Directive directive, ValueType type, list<Taken> taken, string doc> {
  string Name = name;
  /// Which directive sets it; ALSO are others that may, by its name.
  Directive Of = directive;
  list<Directive> Also = [];
  ValueType Type = type;
  list<Taken> TakenBy = taken;
  string Doc = doc;
  /// Numbers that refinement walks through, one step at a time; in lists each number moves on its own.
  list<int> Neighbours = [];
}

#endif // KGEN_SCHEDULE_SCHEDULEBASE
