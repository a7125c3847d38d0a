//===- Knobs.cpp - What all knob directives share ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/Transform/Knobs.h"

#include "kgen/Dialect/KGen/CaptureError.h"
#include "kgen/Dialect/KGen/ScheduleText.h"
#include "kgen/Dialect/Transform/KGenTransform.h"

#include "mlir/Dialect/Transform/IR/TransformTypes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace mlir;
using mlir::transform::TransformRewriter;
using mlir::transform::TransformState;

namespace kgen::directive {

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace {

/// One `key = value` of the text; an operand when the value is a parameter.
struct Setting {
  StringRef key;
  Attribute value;
  std::optional<OpAsmParser::UnresolvedOperand> param;
  Type paramType;
};

} // namespace

static ParseResult parseSetting(OpAsmParser &parser, Setting &setting) {
  OpAsmParser::UnresolvedOperand operand;
  OptionalParseResult isOperand = parser.parseOptionalOperand(operand);
  if (!isOperand.has_value())
    return parseScheduleValue(parser, setting.value);
  if (failed(*isOperand))
    return failure();
  setting.value = parser.getBuilder().getUnitAttr();
  setting.param = operand;
  setting.paramType = mlir::transform::AnyParamType::get(parser.getContext());
  if (succeeded(parser.parseOptionalColon()))
    return parser.parseType(setting.paramType);
  return success();
}

/// The names of the keys that RULE sets; the first one may stay unnamed in the text.
static SmallVector<StringRef, 8> keyNames(const schedule::Directive &rule) {
  return llvm::map_to_vector<8>(schedule::keysOf(rule), [](const schedule::Key *key) { return key->name; });
}

ParseResult parseKnob(OpAsmParser &parser, OperationState &result, const schedule::Directive &rule) {
  SmallVector<StringRef, 8> keys = keyNames(rule);
  OpAsmParser::UnresolvedOperand target;
  Type anyOp = mlir::transform::AnyOpType::get(parser.getContext());
  if (parser.parseOperand(target) || parser.resolveOperand(target, anyOp, result.operands))
    return failure();

  SmallVector<Setting> settings;
  // An entry that starts with a key is named; the first one may leave its name out.
  for (bool first = true;; first = false) {
    Setting setting;
    SMLoc loc = parser.getCurrentLocation();
    bool comma = succeeded(parser.parseOptionalComma());
    if (succeeded(parser.parseOptionalKeyword(&setting.key, keys))) {
      if (parser.parseEqual())
        return failure();
    } else if (first) {
      setting.key = keys.front();
    } else if (comma) {
      return parser.emitError(loc) << "expected one of " << llvm::join(keys, ", ");
    } else {
      break;
    }
    if (parseSetting(parser, setting))
      return failure();
    if (llvm::any_of(settings, [&](const Setting &other) { return other.key == setting.key; }))
      return parser.emitError(loc) << "'" << setting.key << "' is set twice";
    settings.push_back(setting);
  }

  // The dictionary is sorted by key; parameters follow its order.
  llvm::sort(settings, [](const Setting &a, const Setting &b) { return a.key < b.key; });
  NamedAttrList dictionary;
  for (const Setting &setting : settings) {
    dictionary.append(setting.key, setting.value);
    if (setting.param && parser.resolveOperand(*setting.param, setting.paramType, result.operands))
      return failure();
  }
  result.addAttribute("settings", dictionary.getDictionary(parser.getContext()));
  return parser.parseOptionalAttrDict(result.attributes);
}

void printKnob(OpAsmPrinter &printer, Operation *op, const schedule::Directive &rule, Value target,
               DictionaryAttr settings, OperandRange params) {
  SmallVector<StringRef, 8> keys = keyNames(rule);
  printer << " " << target;
  auto printValue = [&](StringRef key) {
    if (!isa<UnitAttr>(settings.get(key)))
      return printScheduleValue(printer, settings.get(key));
    size_t index = llvm::count_if(settings, [&](NamedAttribute entry) {
      return isa<UnitAttr>(entry.getValue()) && entry.getName().getValue() < key;
    });
    Value param = params[index];
    printer << param;
    if (!isa<mlir::transform::AnyParamType>(param.getType()))
      printer << " : " << param.getType();
  };
  for (StringRef key : keys) {
    if (!settings.get(key))
      continue;
    printer << " ";
    if (key != keys.front())
      printer << key << " = ";
    printValue(key);
  }
  printer.printOptionalAttrDict(op->getAttrs(), {"settings"});
}

//===----------------------------------------------------------------------===//
// Checks and effect
//===----------------------------------------------------------------------===//

/// Lays the static SETTINGS of a directive over SCHEDULE; a parameter is a key without a value.
static void overlay(schedule::Settings &schedule, DictionaryAttr settings) {
  for (NamedAttribute entry : settings)
    schedule[entry.getName().str()] = toScheduleValue(entry.getValue());
}

LogicalResult verifyKnob(Operation *op, const schedule::Directive &rule, DictionaryAttr settings, OperandRange params) {
  SmallVector<StringRef, 8> keys = keyNames(rule);
  if (settings.empty())
    return op->emitOpError() << "expected a value for " << llvm::join(keys, " or ");
  size_t open = 0;
  for (NamedAttribute entry : settings) {
    StringRef key = entry.getName().getValue();
    if (!llvm::is_contained(keys, key))
      return op->emitOpError() << "expected one of " << llvm::join(keys, ", ") << ", found '" << key << "'";
    if (isa<UnitAttr>(entry.getValue()))
      ++open;
    else if (failed(ScheduleAttr::checkKey([&] { return op->emitOpError(); }, key, entry.getValue())))
      return failure();
  }
  if (open != params.size())
    return op->emitOpError() << "expected " << open << " parameters, found " << params.size();

  // Where the text says the family, a key that it does not take needs no graph to be refused.
  Value target = op->getOperand(0);
  auto select = target.getDefiningOp<SelectOp>();
  if (!select || !select.getFamily() || select->getBlock() != op->getBlock() || !select->isBeforeInBlock(op))
    return success();
  schedule::Settings all;
  for (Operation &other : llvm::make_range(select->getIterator(), op->getIterator()))
    if (auto earlier = other.getAttrOfType<DictionaryAttr>("settings"); earlier && other.getOperand(0) == target)
      overlay(all, earlier);
  overlay(all, settings);
  graph::Refusal refusal;
  if (std::string fault = findRefusal(*select.getFamily(), all, refusal); !fault.empty()) {
    InFlightDiagnostic diag = op->emitOpError() << fault;
    markRefusal(diag, refusal);
    return diag;
  }
  return success();
}

/// A parameter's attribute in the form that schedules hold: 64-bit integers and their lists.
static Attribute normalize(Attribute value) {
  MLIRContext *context = value.getContext();
  auto fits = [](Attribute attribute) {
    auto number = dyn_cast<IntegerAttr>(attribute);
    return number && number.getValue().getSignificantBits() <= 64;
  };
  if (fits(value))
    return IntegerAttr::get(IntegerType::get(context, 64), cast<IntegerAttr>(value).getValue().getSExtValue());
  auto list = dyn_cast<ArrayAttr>(value);
  if (!list || !llvm::all_of(list, fits))
    return value;
  SmallVector<int64_t> numbers;
  for (Attribute element : list)
    numbers.push_back(cast<IntegerAttr>(element).getValue().getSExtValue());
  return DenseI64ArrayAttr::get(context, numbers);
}

DiagnosedSilenceableFailure applyKnob(mlir::transform::TransformOpInterface op, Value target, DictionaryAttr settings,
                                      OperandRange params, TransformRewriter &rewriter, TransformState &state) {
  SmallVector<Operation *> payload = llvm::to_vector(state.getPayloadOps(target));
  if (payload.empty())
    return op.emitDefiniteFailure() << "expected a handle to a kgen.dispatch, found no op";
  for (Operation *payloadOp : payload) {
    auto dispatch = dyn_cast<DispatchOp>(payloadOp);
    if (!dispatch)
      return op.emitDefiniteFailure() << "expected a handle to a kgen.dispatch, found " << payloadOp->getName();
    graph::Refusal refusal;
    auto refuse = [&](const Twine &message) -> DiagnosedSilenceableFailure {
      InFlightDiagnostic diag = emitError(op.getLoc()) << message;
      if (!refusal.bound.empty())
        markRefusal(diag, refusal);
      diag.attachNote(dispatch.getLoc()) << "in dispatch @" << dispatch.getName();
      return DiagnosedSilenceableFailure::definiteFailure();
    };
    NamedAttrList values;
    ScheduleAttr schedule = dispatch.getSchedule().value_or(ScheduleAttr());
    if (!schedule)
      schedule = ScheduleAttr::get(op.getContext(), "generic");
    size_t nextParam = 0;
    for (NamedAttribute entry : settings) {
      Attribute value = entry.getValue();
      if (isa<UnitAttr>(value)) {
        ArrayRef<Attribute> bound = state.getParams(params[nextParam++]);
        if (bound.size() != 1)
          return refuse("expected one value in the parameter for '" + Twine(entry.getName().getValue()) + "', found " +
                        Twine(bound.size()));
        value = normalize(bound.front());
        // A parameter is known only now: the check that the verifier makes for static values.
        auto emitError = [&] { return op->emitError(); };
        if (failed(ScheduleAttr::checkKey(emitError, entry.getName().getValue(), value)))
          return DiagnosedSilenceableFailure::definiteFailure();
      }
      schedule = schedule.with(entry.getName().getValue(), value);
      values.set(entry.getName(), value);
    }
    if (std::string fault = findScheduleFault(dispatch, schedule, refusal); !fault.empty())
      return refuse(fault);
    if (auto *log = state.getExtension<KnobLog>())
      log->entries.push_back({dispatch.getName().str(), op.getLoc(), values.getDictionary(op.getContext())});
    rewriter.modifyOpInPlace(dispatch, [&] { dispatch.setScheduleAttr(schedule); });
  }
  return DiagnosedSilenceableFailure::success();
}

} // namespace kgen::directive
