//===- KGenTransformOps.cpp - Directives that shape dispatches -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The extension itself, rewrite, select and fuse. Knobs share Knobs.cpp.
//
//===----------------------------------------------------------------------===//
#include "kgen/Dialect/Aten/Algebra.h"
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Dialect/KGen/InputDomains.h"
#include "kgen/Dialect/KGen/Precision.h"
#include "kgen/Dialect/Transform/KGenTransform.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Transform/TuneExtension/TuneExtension.h"
#include "mlir/IR/OpImplementation.h"

using namespace mlir;
using namespace kgen;
using namespace kgen::directive;
using mlir::transform::TransformResults;
using mlir::transform::TransformRewriter;
using mlir::transform::TransformState;

//===----------------------------------------------------------------------===//
// Text
//===----------------------------------------------------------------------===//

namespace kgen::directive {

static ParseResult parseWord(OpAsmParser &parser, StringAttr &word) {
  StringRef text;
  if (parser.parseKeyword(&text))
    return failure();
  word = parser.getBuilder().getStringAttr(text);
  return success();
}

static void printWord(OpAsmPrinter &printer, Operation *, StringAttr word) { printer << word.getValue(); }

/// The two words of a fusion's count, as the attribute holds them.
constexpr int64_t countAll = 0, countAny = -1;

static ParseResult parseFuseCount(OpAsmParser &parser, IntegerAttr &count) {
  int64_t number = countAll;
  if (succeeded(parser.parseOptionalKeyword("any")))
    number = countAny;
  else if (failed(parser.parseOptionalKeyword("all")) && parser.parseInteger(number))
    return failure();
  else if (number < 0)
    number = std::numeric_limits<int64_t>::min(); // not the word: the verifier refuses it
  count = parser.getBuilder().getI64IntegerAttr(number);
  return success();
}

static void printFuseCount(OpAsmPrinter &printer, Operation *, IntegerAttr count) {
  if (count.getInt() == countAll)
    printer << "all";
  else if (count.getInt() == countAny)
    printer << "any";
  else
    printer << count.getInt();
}

} // namespace kgen::directive

#include "kgen/Dialect/Transform/KGenTransformEnums.cpp.inc"

#define GET_OP_CLASSES
#include "kgen/Dialect/Transform/KGenTransformOps.cpp.inc"

//===----------------------------------------------------------------------===//
// SelectOp
//===----------------------------------------------------------------------===//

LogicalResult SelectOp::verify() {
  if (!getOpName().starts_with("aten."))
    return emitOpError() << "expected the name of an aten op like \"aten.conv2d\", found \"" << getOpName() << "\"";
  if (int64_t(getNumber()) < 0)
    return emitOpError() << "expected a number from 0, found " << int64_t(getNumber());
  if (std::optional<StringRef> family = getFamily())
    return ScheduleAttr::verify([&] { return emitOpError(); }, StringAttr::get(getContext(), *family),
                                DictionaryAttr::get(getContext()));
  return success();
}

DiagnosedSilenceableFailure SelectOp::apply(TransformRewriter &rewriter, TransformResults &results,
                                            TransformState &state) {
  SmallVector<Operation *> found;
  for (Operation *target : state.getPayloadOps(getTarget()))
    target->walk([&](Operation *op) {
      if (op->getName().getStringRef() == getOpName() && !op->getParentOfType<DispatchOp>())
        found.push_back(op);
    });
  if (int64_t(getNumber()) >= int64_t(found.size()))
    return emitDefiniteFailure() << "expected " << getOpName() << " number " << int64_t(getNumber())
                                 << " outside of dispatches, found " << found.size() << " of them";
  Operation *root = found[getNumber()];
  StringRef family = getFamily() ? *getFamily() : defaultFamily(root);
  DispatchOp dispatch = formDispatch(rewriter, root, ScheduleAttr::get(getContext(), family));
  results.set(cast<OpResult>(getDispatch()), {dispatch.getOperation()});
  return DiagnosedSilenceableFailure::success();
}

void SelectOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  mlir::transform::onlyReadsHandle(getTargetMutable(), effects);
  mlir::transform::producesHandle(getOperation()->getOpResults(), effects);
  mlir::transform::modifiesPayload(effects);
}

//===----------------------------------------------------------------------===//
// FuseOp and FuseSiblingsOp
//===----------------------------------------------------------------------===//

/// The one dispatch that HANDLE denotes, or a definite failure of OP.
static DiagnosedSilenceableFailure getDispatch(mlir::transform::TransformOpInterface op, Value handle,
                                               TransformState &state, DispatchOp &dispatch) {
  SmallVector<Operation *> payload = llvm::to_vector(state.getPayloadOps(handle));
  if (payload.size() != 1)
    return op.emitDefiniteFailure() << "expected a handle to one dispatch, found " << payload.size() << " ops";
  dispatch = dyn_cast<DispatchOp>(payload.front());
  if (!dispatch)
    return op.emitDefiniteFailure() << "expected a handle to a kgen.dispatch, found " << payload.front()->getName();
  return DiagnosedSilenceableFailure::success();
}

LogicalResult FuseOp::verify() {
  int64_t count = getCount();
  if (count != countAll && count != countAny && (count < 1 || count > 1000))
    return emitOpError() << "expected a count from 1 to 1000, all or any";
  return success();
}

DiagnosedSilenceableFailure FuseOp::apply(TransformRewriter &rewriter, TransformResults &, TransformState &state) {
  DispatchOp dispatch;
  if (DiagnosedSilenceableFailure result = getDispatch(*this, getTarget(), state, dispatch); !result.succeeded())
    return result;
  int64_t count = getCount();
  FuseLimit limit{count == countAny ? 0 : count, count == countAny};
  // A convolution takes a reduction only where the script counts it in: one of its variants computes it.
  limit.folds = limit.count > 0;
  // Handles follow the dispatch, so that a script goes on with the same %d.
  auto follow = [&](DispatchOp old, DispatchOp replacement) {
    (void)rewriter.notifyPayloadOperationReplaced(old, replacement);
  };
  std::string why;
  auto fuse = getDirection() == Direction::Consumers ? fuseConsumers : fuseProducers;
  if (failed(fuse(rewriter, dispatch, limit, why, follow))) {
    DiagnosedDefiniteFailure diag = emitDefiniteFailure() << why;
    diag.attachNote(dispatch.getLoc()) << "in dispatch @" << dispatch.getName();
    return diag;
  }
  return DiagnosedSilenceableFailure::success();
}

void FuseOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  mlir::transform::onlyReadsHandle(getTargetMutable(), effects);
  mlir::transform::modifiesPayload(effects);
}

DiagnosedSilenceableFailure FuseSiblingsOp::apply(TransformRewriter &rewriter, TransformResults &,
                                                  TransformState &state) {
  DispatchOp dispatch, other;
  if (DiagnosedSilenceableFailure result = getDispatch(*this, getTarget(), state, dispatch); !result.succeeded())
    return result;
  if (DiagnosedSilenceableFailure result = getDispatch(*this, getOther(), state, other); !result.succeeded())
    return result;
  auto follow = [&](DispatchOp old, DispatchOp replacement) {
    (void)rewriter.notifyPayloadOperationReplaced(old, replacement);
  };
  std::string why;
  if (failed(fuseSibling(rewriter, dispatch, other, why, follow))) {
    DiagnosedDefiniteFailure diag = emitDefiniteFailure() << why;
    diag.attachNote(other.getLoc()) << "in dispatch @" << other.getName();
    return diag;
  }
  return DiagnosedSilenceableFailure::success();
}

void FuseSiblingsOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  mlir::transform::onlyReadsHandle(getTargetMutable(), effects);
  mlir::transform::onlyReadsHandle(getOtherMutable(), effects);
  mlir::transform::modifiesPayload(effects);
}

//===----------------------------------------------------------------------===//
// SplitOp
//===----------------------------------------------------------------------===//

DiagnosedSilenceableFailure SplitOp::apply(TransformRewriter &rewriter, TransformResults &results,
                                           TransformState &state) {
  DispatchOp dispatch;
  if (DiagnosedSilenceableFailure result = getDispatch(*this, getTarget(), state, dispatch); !result.succeeded())
    return result;
  SmallVector<Operation *> found;
  for (Operation &op : dispatch.getBody().front())
    if (op.getName().getStringRef() == getOpName())
      found.push_back(&op);
  if (int64_t(getNumber()) < 0 || int64_t(getNumber()) >= int64_t(found.size()))
    return emitDefiniteFailure() << "expected " << getOpName() << " number " << int64_t(getNumber()) << " in dispatch @"
                                 << dispatch.getName() << ", found " << found.size() << " of them";
  auto follow = [&](DispatchOp old, DispatchOp replacement) {
    (void)rewriter.notifyPayloadOperationReplaced(old, replacement);
  };
  std::string why;
  FailureOr<DispatchOp> rest = splitDispatch(rewriter, dispatch, found[getNumber()], why, follow);
  if (failed(rest)) {
    DiagnosedDefiniteFailure diag = emitDefiniteFailure() << why;
    diag.attachNote(dispatch.getLoc()) << "in dispatch @" << dispatch.getName();
    return diag;
  }
  results.set(cast<OpResult>(getRest()), {rest->getOperation()});
  return DiagnosedSilenceableFailure::success();
}

void SplitOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  mlir::transform::onlyReadsHandle(getTargetMutable(), effects);
  mlir::transform::producesHandle(getOperation()->getOpResults(), effects);
  mlir::transform::modifiesPayload(effects);
}

//===----------------------------------------------------------------------===//
// RewriteOp
//===----------------------------------------------------------------------===//

static const aten::Rewrite *findRewrite(StringRef name) {
  auto found = llvm::find_if(aten::rewrites(), [&](const aten::Rewrite &one) { return one.name == name; });
  return found == aten::rewrites().end() ? nullptr : found;
}

LogicalResult RewriteOp::verify() {
  if (findRewrite(getRewrite()))
    return success();
  InFlightDiagnostic diag = emitOpError() << "expected one of ";
  llvm::interleaveComma(aten::rewrites(), diag, [&](const aten::Rewrite &one) { diag << one.name; });
  return diag << ", found " << getRewrite();
}

DiagnosedSilenceableFailure RewriteOp::apply(TransformRewriter &, TransformResults &, TransformState &state) {
  // A product that goes would take its precision class along, and a norm what its inputs may be.
  for (Operation *payload : state.getPayloadOps(getTarget())) {
    auto module = dyn_cast<ModuleOp>(payload);
    module = module ? module : payload->getParentOfType<ModuleOp>();
    bool hasDispatch = false;
    payload->walk([&](DispatchOp) { hasDispatch = true; });
    if (hasDispatch)
      return emitDefiniteFailure() << "expected a graph of which no dispatch has been formed yet";
    if (!module)
      continue;
    module->setAttr("kgen.precision", StringAttr::get(getContext(), stringifyPrecision(precisionOf(module))));
    settleInputDomains(module);
  }
  bool any = false;
  for (Operation *payload : state.getPayloadOps(getTarget()))
    payload->walk(
        [&](func::FuncOp func) { any |= !func.isExternal() && aten::applyRewrite(func, *findRewrite(getRewrite())); });
  if (!any)
    return emitDefiniteFailure() << "expected something that " << getRewrite() << " rewrites, found nothing";
  return DiagnosedSilenceableFailure::success();
}

void RewriteOp::getEffects(SmallVectorImpl<SideEffects::EffectInstance<MemoryEffects::Effect>> &effects) {
  mlir::transform::onlyReadsHandle((*this)->getOpOperands(), effects);
  mlir::transform::modifiesPayload(effects);
}

//===----------------------------------------------------------------------===//
// Extension
//===----------------------------------------------------------------------===//

namespace {

class KGenTransformExtension : public mlir::transform::TransformDialectExtension<KGenTransformExtension> {
public:
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KGenTransformExtension)

  void init() {
    declareDependentDialect<func::FuncDialect>();
    declareGeneratedDialect<KGenDialect>();
    registerTransformOps<
#define GET_OP_LIST
#include "kgen/Dialect/Transform/KGenTransformOps.cpp.inc"
        >();
    registerTransformOps<
#define GET_OP_LIST
#include "kgen/Dialect/Transform/KGenNetworkOps.cpp.inc"
        >();
  }
};

} // namespace

void kgen::directive::registerTransformExtension(DialectRegistry &registry) {
  registry.addExtensions<KGenTransformExtension>();
  mlir::transform::registerTuneExtension(registry);
}
