//===- Family.cpp - A family's launches and parameters --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Family.h"

#include "kgen/Dialect/KGen/KGen.h"

#include "mlir/IR/Builders.h"

#include "llvm/ADT/STLExtras.h"

using namespace mlir;

namespace kgen::kernels {

LaunchSpec LaunchSpec::ofWhole(DispatchOp dispatch, std::string kernel, int64_t blocks, int64_t threads) {
  LaunchSpec launch{std::move(kernel), {blocks, 1, 1}, {threads, 1, 1}, 0, {}, {}};
  for (unsigned i = 0; i < dispatch.getBody().front().getNumArguments(); ++i)
    launch.reads.push_back(DispatchBuffer::operand(i));
  for (unsigned i = 0; i < dispatch.getNumResults(); ++i)
    launch.writes.push_back(DispatchBuffer::result(i));
  return launch;
}

//===----------------------------------------------------------------------===//
// ScheduleParams
//===----------------------------------------------------------------------===//

static DictionaryAttr withEntry(DictionaryAttr dict, MLIRContext *context, StringRef name, Attribute value) {
  NamedAttrList list(dict);
  list.set(name, value);
  return list.getDictionary(context);
}

DictionaryAttr ScheduleParams::getDictionary(MLIRContext *context) const {
  return parameters ? parameters : DictionaryAttr::get(context);
}

Attribute ScheduleParams::get(StringRef name) const { return parameters ? parameters.get(name) : Attribute(); }

void ScheduleParams::set(MLIRContext *context, StringRef name, int64_t value) {
  parameters = withEntry(parameters, context, name, Builder(context).getI64IntegerAttr(value));
}

void ScheduleParams::set(MLIRContext *context, StringRef name, ArrayRef<int64_t> values) {
  parameters = withEntry(parameters, context, name, DenseI64ArrayAttr::get(context, values));
}

void ScheduleParams::set(MLIRContext *context, StringRef name, StringRef word) {
  parameters = withEntry(parameters, context, name, StringAttr::get(context, word));
}

std::optional<int64_t> ScheduleParams::getInt(StringRef name) const {
  if (auto attr = dyn_cast_or_null<IntegerAttr>(get(name)))
    return attr.getInt();
  return std::nullopt;
}

std::optional<SmallVector<int64_t>> ScheduleParams::getInts(StringRef name) const {
  if (auto attr = dyn_cast_or_null<DenseI64ArrayAttr>(get(name)))
    return llvm::to_vector(attr.asArrayRef());
  return std::nullopt;
}

std::optional<StringRef> ScheduleParams::getWord(StringRef name) const {
  if (auto attr = dyn_cast_or_null<StringAttr>(get(name)))
    return attr.getValue();
  return std::nullopt;
}

int64_t ScheduleParams::intOr(MLIRContext *context, StringRef name, int64_t fallback) {
  if (std::optional<int64_t> value = getInt(name))
    return *value;
  set(context, name, fallback);
  return fallback;
}

SmallVector<int64_t> ScheduleParams::intsOr(MLIRContext *context, StringRef name, ArrayRef<int64_t> fallback) {
  if (std::optional<SmallVector<int64_t>> values = getInts(name))
    return *values;
  set(context, name, fallback);
  return llvm::to_vector(fallback);
}

std::string ScheduleParams::wordOr(MLIRContext *context, StringRef name, StringRef fallback) {
  if (std::optional<StringRef> word = getWord(name))
    return word->str();
  set(context, name, fallback);
  return fallback.str();
}

} // namespace kgen::kernels
