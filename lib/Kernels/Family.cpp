//===- Family.cpp - A family's launches and parameters --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Kernels/Family.h"

#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Dialect/KGen/ScheduleText.h"

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

schedule::Settings ScheduleParams::getSettings() const {
  schedule::Settings settings;
  if (parameters)
    for (NamedAttribute entry : parameters)
      settings[entry.getName().str()] = toScheduleValue(entry.getValue());
  return settings;
}

void ScheduleParams::set(MLIRContext *context, schedule::IntKey key, int64_t value) {
  parameters = withEntry(parameters, context, key.name, Builder(context).getI64IntegerAttr(value));
}

void ScheduleParams::set(MLIRContext *context, schedule::IntsKey key, ArrayRef<int64_t> values) {
  parameters = withEntry(parameters, context, key.name, DenseI64ArrayAttr::get(context, values));
}

void ScheduleParams::setWord(MLIRContext *context, StringRef name, StringRef word) {
  parameters = withEntry(parameters, context, name, StringAttr::get(context, word));
}

std::optional<int64_t> ScheduleParams::getInt(schedule::IntKey key) const {
  if (auto attr = dyn_cast_or_null<IntegerAttr>(get(key.name)))
    return attr.getInt();
  return std::nullopt;
}

std::optional<SmallVector<int64_t>> ScheduleParams::getInts(schedule::IntsKey key) const {
  if (auto attr = dyn_cast_or_null<DenseI64ArrayAttr>(get(key.name)))
    return llvm::to_vector(attr.asArrayRef());
  return std::nullopt;
}

std::optional<StringRef> ScheduleParams::findWord(StringRef name) const {
  if (auto attr = dyn_cast_or_null<StringAttr>(get(name)))
    return attr.getValue();
  return std::nullopt;
}

int64_t ScheduleParams::intOr(MLIRContext *context, schedule::IntKey key, int64_t fallback) {
  if (std::optional<int64_t> value = getInt(key))
    return *value;
  set(context, key, fallback);
  return fallback;
}

SmallVector<int64_t> ScheduleParams::intsOr(MLIRContext *context, schedule::IntsKey key, ArrayRef<int64_t> fallback) {
  if (std::optional<SmallVector<int64_t>> values = getInts(key))
    return *values;
  set(context, key, fallback);
  return llvm::to_vector(fallback);
}

bool Family::readsOnce(Operation *) const { return kgen::readsOnce(name()); }

SmallVector<Operation *> Family::findStridedViews(DispatchOp) const { return {}; }

graph::WorkFact Family::getWork(DispatchOp) const { return {}; }

LogicalResult completeSchedule(const Family &family, DispatchOp dispatch, ScheduleParams &params, const Chip &chip) {
  // Tensors without elements are the generic path's.
  for (Operation &op : dispatch.getBody().front().without_terminator())
    if (hasEmptyTensor(&op))
      return dispatch.emitError() << "expected tensors with elements in a dispatch of family " << family.name()
                                  << ", found '" << op.getName() << "' on an extent of 0";
  auto findFault = [&] { return schedule::findFault(family.name(), params.getSettings()); };
  if (failed(family.match(dispatch)))
    return failure();
  // Families count on values that some variant takes, and what they choose beside them has to make it one of those.
  std::string fault = findFault();
  if (fault.empty()) {
    if (failed(family.complete(dispatch, params, chip)))
      return failure();
    fault = findFault();
  }
  return fault.empty() ? success() : LogicalResult(dispatch.emitError() << fault);
}

} // namespace kgen::kernels
