//===- LowerDispatches.cpp - Scheduled dispatches become CUDA-C -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Level 2 to level 3 for every dispatch whose family is not generic: asks the
// family for its code, then writes kgen.source and kgen.launch ops.
//
//===----------------------------------------------------------------------===//

#include "kgen/Dialect/KGen/CaptureError.h"
#include "kgen/Dialect/KGen/DispatchChecker.h"
#include "kgen/Dialect/KGen/InputDomains.h"
#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Kernels/CudaTemplate.h"
#include "kgen/Kernels/Family.h"
#include "kgen/Kernels/Passes.h"
#include "kgen/Support/Architectures.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/SymbolTable.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

namespace kgen::kernels {
#define GEN_PASS_DEF_LOWERDISPATCHES
#include "kgen/Kernels/Passes.h.inc"
} // namespace kgen::kernels

using namespace mlir;
using namespace kgen;
using namespace kgen::kernels;

namespace {

/// Asks the families.
struct FamilyChecker : DispatchChecker {
  using DispatchChecker::DispatchChecker;
  LogicalResult check(DispatchOp dispatch, ScheduleAttr schedule, const Chip &chip) const override;
};

struct LowerDispatches : kgen::kernels::impl::LowerDispatchesBase<LowerDispatches> {
  using LowerDispatchesBase::LowerDispatchesBase;

  void runOnOperation() override {
    settleInputDomains(getOperation());
    Chip target = chipOf(arch);
    if (sharedBytes)
      target.sharedBytesPerBlock = sharedBytes;
    if (multiprocessors)
      target.multiprocessors = multiprocessors;
    SmallVector<DispatchOp> dispatches;
    getOperation().walk([&](DispatchOp dispatch) {
      if (dispatch.getFamily() != "generic")
        dispatches.push_back(dispatch);
    });
    for (DispatchOp dispatch : dispatches)
      if (failed(lower(dispatch, target)))
        return signalPassFailure();
  }

  LogicalResult lower(DispatchOp dispatch, const Chip &target);
};

} // namespace

/// Whether NAME can be a namespace and the stem of C identifiers.
static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name, [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// Whether NAME, a C identifier, means something in every CUDA program: no namespace can have it. Keywords of C++17,
/// what CUDA's headers declare in the global namespace (CUDA Math API; the C library's, which device host has as well)
/// and what kernels' texts use.
static bool isTaken(StringRef name) {
  static const llvm::StringSet<> taken = [] {
    llvm::StringSet<> names;
    for (const char *words :
         {"alignas alignof and and_eq asm auto bitand bitor bool break case catch char class compl const const_cast "
          "constexpr continue decltype default delete do double dynamic_cast else enum explicit export extern false "
          "float for friend goto if inline int long mutable namespace new noexcept not not_eq nullptr operator or "
          "or_eq "
          "private protected public register reinterpret_cast return short signed sizeof static static_assert "
          "static_cast struct switch template this thread_local throw true try typedef typeid typename union unsigned "
          "using virtual void volatile wchar_t while xor xor_eq",
          "abs acos acosh asin asinh atan atan2 atanh cbrt ceil copysign cos cosh cospi cyl_bessel_i0 cyl_bessel_i1 "
          "erf erfc erfcinv erfcx erfinv exp exp10 exp2 expm1 fabs fdim fdivide floor fma fmax fmin fmod frexp hypot "
          "ilogb isfinite isinf isnan j0 j1 jn labs ldexp lgamma llabs llmax llmin llrint llround log log10 log1p log2 "
          "logb lrint lround max min modf nan nearbyint nextafter norm norm3d norm4d normcdf normcdfinv pow powi "
          "rcbrt remainder remquo rhypot rint rnorm rnorm3d rnorm4d round rsqrt scalbln scalbn signbit sin sincos "
          "sincospi sinh sinpi sqrt tan tanh tgamma trunc ullmax ullmin umax umin y0 y1 yn",
          "assert clock clock64 free index malloc memcpy memset printf main std kgen blockDim blockIdx gridDim "
          "threadIdx warpSize dim3 half div exit read write select abort"}) {
      SmallVector<StringRef> each;
      StringRef(words).split(each, ' ');
      names.insert(each.begin(), each.end());
    }
    return names;
  }();
  return taken.contains(name);
}

static LogicalResult checkLaunch(DispatchOp dispatch, const LaunchSpec &launch, const Chip &target) {
  int64_t threads = launch.block[0] * launch.block[1] * launch.block[2];
  if (threads > target.threadsPerBlock)
    return dispatch.emitError("schedule needs ")
           << threads << " threads in a block, the limit is " << target.threadsPerBlock;
  if (launch.sharedBytes > target.sharedBytesPerBlock)
    return dispatch.emitError("schedule needs ") << launch.sharedBytes << " bytes of shared memory in a block, "
                                                 << target.arch << " has " << target.sharedBytesPerBlock;
  if (launch.grid[0] > 2147483647 || launch.grid[1] > 65535 || launch.grid[2] > 65535)
    return dispatch.emitError("schedule needs a grid of ")
           << launch.grid[0] << " x " << launch.grid[1] << " x " << launch.grid[2]
           << ", the limit is 2147483647 x 65535 x 65535";
  return success();
}

/// The family of DISPATCH, or null and a diagnostic.
static const Family *requireFamily(DispatchOp dispatch) {
  const Family *family = findFamily(dispatch.getFamily());
  if (family)
    return family;
  std::string names = "generic, " + llvm::join(familyNames(), ", ");
  InFlightDiagnostic diag = dispatch.emitError("no kernel family '")
                            << dispatch.getFamily() << "'; there are " << names;
  markRefusal(diag, {graph::RefusalKind::UnknownFamily, "", dispatch.getFamily().str(), names});
  return nullptr;
}

LogicalResult FamilyChecker::check(DispatchOp dispatch, ScheduleAttr schedule, const Chip &chip) const {
  if (dispatch.getFamily() == "generic")
    return success();
  const Family *family = requireFamily(dispatch);
  ScheduleParams params(schedule.getParams());
  return success(family && succeeded(completeSchedule(*family, dispatch, params, chip)));
}

void kgen::kernels::registerDispatchChecker(DialectRegistry &registry) {
  registry.addExtension(+[](MLIRContext *, KGenDialect *dialect) { dialect->addInterfaces<FamilyChecker>(); });
}

/// Assertions, in the namespace of dispatch NAME, that the templates of LAUNCHES count on what was derived for them.
static std::string printSizeAssertions(StringRef name, ArrayRef<LaunchSpec> launches) {
  std::string text = ("\nnamespace " + name + " {\n").str();
  llvm::raw_string_ostream os(text);
  for (const LaunchSpec &launch : launches) {
    TemplateSizes sizes = findTemplateSizes(launch.sizedBy);
    if (!sizes.threads.empty())
      os << "static_assert((" << sizes.threads << ") == " << launch.block[0] << " && (" << sizes.bytes
         << ") == " << launch.sharedBytes << ", \"" << launch.kernel << " and its template differ in threads or "
         << "shared memory\");\n";
    if (!sizes.blocks.empty())
      os << "static_assert((" << sizes.blocks << ") == " << launch.grid[0] << ", \"" << launch.kernel
         << " and its template differ in blocks\");\n";
    for (StringRef condition : sizes.conditions)
      os << "static_assert(" << condition << ", \"the sizes of " << launch.kernel << " do not fit each other\");\n";
  }
  os << "} // namespace " << name << "\n";
  return text;
}

static bool same(DispatchBuffer a, DispatchBuffer b) { return a.kind == b.kind && a.index == b.index; }

static ArrayAttr mapsOf(OpBuilder &builder, const LaunchSpec &launch) {
  if (launch.maps.empty())
    return {};
  SmallVector<DispatchBuffer> operands(launch.reads);
  operands.append(launch.writes);
  SmallVector<Attribute> maps;
  for (const TensorMap &map : launch.maps) {
    auto *at = llvm::find_if(operands, [&](DispatchBuffer buffer) { return same(buffer, map.buffer); });
    assert(at != operands.end() && "a tensor map's buffer is read or written by its launch");
    maps.push_back(TensorMapAttr::get(builder.getContext(), at - operands.begin(), map.dtype,
                                      builder.getDenseI64ArrayAttr(map.dims), builder.getDenseI64ArrayAttr(map.strides),
                                      builder.getDenseI64ArrayAttr(map.box), map.swizzle, map.l2, map.offset));
  }
  return builder.getArrayAttr(maps);
}

LogicalResult LowerDispatches::lower(DispatchOp dispatch, const Chip &target) {
  MLIRContext *context = &getContext();
  StringRef name = dispatch.getName();
  if (!isIdentifier(name))
    return dispatch.emitError("name @\"") << name << "\" of a lowered dispatch has to be a C identifier";
  if (isTaken(name)) {
    dispatch.setName((name + "0").str());
    name = dispatch.getName();
  }
  const Family *family = requireFamily(dispatch);
  if (!family)
    return failure();
  ScheduleParams params(dispatch.getSchedule()->getParams());
  if (failed(completeSchedule(*family, dispatch, params, target)))
    return failure();
  FailureOr<DispatchCode> code = family->emit(dispatch, params, target);
  if (failed(code))
    return failure();

  if (assertSizes)
    code->source += printSizeAssertions(name, code->launches);

  // The source, with the completed schedule beside it for whoever reads the snapshot.
  ModuleOp module = getOperation();
  if (SymbolTable::lookupSymbolIn(module, name))
    return dispatch.emitError("the module has another symbol @") << name;
  OpBuilder builder(dispatch);
  Operation *function = dispatch->getParentOp();
  while (function->getParentOp() != module)
    function = function->getParentOp();
  builder.setInsertionPoint(function);
  auto source = SourceOp::create(builder, dispatch.getLoc(), name, target.arch, code->source);
  source->setDiscardableAttr("kgen.schedule", ScheduleAttr::get(context, dispatch.getSchedule()->getFamilyName(),
                                                                params.getDictionary(context)));
  if (dispatch.getIdea())
    source->setDiscardableAttr("kgen.idea", *dispatch.getIdea());

  // The launches. A buffer's value is the last launch result that wrote it.
  builder.setInsertionPoint(dispatch);
  auto empty = [&](RankedTensorType type) -> Value {
    return tensor::EmptyOp::create(builder, dispatch.getLoc(), type.getShape(), type.getElementType());
  };
  SmallVector<Value> results, workspaces;
  for (Type type : dispatch.getResultTypes())
    results.push_back(empty(cast<RankedTensorType>(type)));
  for (RankedTensorType type : code->workspaces)
    workspaces.push_back(empty(type));
  auto valueOf = [&](DispatchBuffer ref) -> Value {
    switch (ref.kind) {
    case DispatchBuffer::Kind::Operand:
      return dispatch.getInputs()[ref.index];
    case DispatchBuffer::Kind::Result:
      return results[ref.index];
    case DispatchBuffer::Kind::Workspace:
      return workspaces[ref.index];
    }
    llvm_unreachable("unknown buffer kind");
  };
  for (const LaunchSpec &launch : code->launches) {
    if (failed(checkLaunch(dispatch, launch, target)))
      return failure();
    SmallVector<Value> reads = llvm::map_to_vector(launch.reads, valueOf);
    SmallVector<Value> writes = llvm::map_to_vector(launch.writes, valueOf);
    auto kernel = SymbolRefAttr::get(context, name, FlatSymbolRefAttr::get(context, launch.kernel));
    auto op = LaunchOp::create(builder, dispatch.getLoc(), TypeRange(ValueRange(writes)), kernel, launch.grid,
                               launch.block, launch.sharedBytes, reads, writes);
    op.setCooperative(launch.cooperative);
    if (ArrayAttr maps = mapsOf(builder, launch))
      op.setMapsAttr(maps);
    if (launch.cluster != std::array<int64_t, 3>{1, 1, 1})
      op.setCluster(launch.cluster);
    for (auto [ref, value] : llvm::zip(launch.writes, op.getResults())) {
      if (ref.kind == DispatchBuffer::Kind::Result)
        results[ref.index] = value;
      else
        workspaces[ref.index] = value;
    }
  }
  dispatch.replaceAllUsesWith(results);
  dispatch.erase();
  return success();
}
