//===- HostCode.cpp - The LLVM dialect to machine code of this CPU -------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HostCode.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"
#include "llvm/Transforms/Scalar/DCE.h"
#include "llvm/Transforms/Scalar/EarlyCSE.h"

using namespace mlir;
using kgen::oracle::HostCode;
using kgen::oracle::HostEffort;

/// Calls in one block from which on a function is compiled by itself, without optimisation: of 172, those of the
/// reduced ResNet-50, LLVM's look for stores that could be merged took 11 of 13 s.
constexpr int64_t manyCalls = 40;

/// Whether glibc's vector math library can serve MACHINE: its exponential is what softmax and attention wait for.
/// It is within 4 units in the last place, four digits better than the oracle's tolerance.
static bool hasVectorMath(const llvm::TargetMachine &machine) {
  // The widest functions that LLVM knows of it need AVX2.
  return machine.getTargetTriple().isX86() && machine.getTargetFeatureString().contains("+avx2") &&
         !llvm::sys::DynamicLibrary::LoadLibraryPermanently("libmvec.so.1");
}

/// What EFFORT says, for MACHINE; -O3 as MLIR's makeOptimizingTransformer does it, with vector math.
static llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine, HostEffort effort) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = tuning.LoopInterleaving = tuning.LoopVectorization = tuning.SLPVectorization =
      effort == HostEffort::Full;
  llvm::PassBuilder builder(&machine, tuning);
  llvm::TargetLibraryInfoImpl library(machine.getTargetTriple());
  if (hasVectorMath(machine))
    library.addVectorizableFunctionsFromVecLib(llvm::VectorLibrary::LIBMVEC, machine.getTargetTriple());
  functions.registerPass([&] { return llvm::TargetLibraryAnalysis(library); }); // before the default one
  builder.registerModuleAnalyses(modules);
  builder.registerCGSCCAnalyses(callGraph);
  builder.registerFunctionAnalyses(functions);
  builder.registerLoopAnalyses(loops);
  builder.crossRegisterProxies(loops, functions, callGraph, modules);
  if (effort == HostEffort::Straight) {
    // Buffers are structures that are taken to pieces again.
    llvm::FunctionPassManager simplify;
    simplify.addPass(llvm::EarlyCSEPass());
    simplify.addPass(llvm::DCEPass());
    llvm::ModulePassManager all;
    all.addPass(llvm::createModuleToFunctionPassAdaptor(std::move(simplify)));
    all.run(module, modules);
    return llvm::Error::success();
  }
  (effort == HostEffort::None ? builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0)
                              : builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3))
      .run(module, modules);
  return llvm::Error::success();
}

static llvm::Expected<std::unique_ptr<ExecutionEngine>> compile(ModuleOp module, HostEffort effort) {
  const llvm::CodeGenOptLevel level =
      effort >= HostEffort::Scalar ? llvm::CodeGenOptLevel::Aggressive : llvm::CodeGenOptLevel::None;
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  if (level == llvm::CodeGenOptLevel::None)
    builder->setCodeGenOptLevel(level);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  // One rounding instead of two is only closer to the truth, and twice as fast.
  (*machine)->Options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  llvm::TargetMachine &target = **machine;
  auto transform = [&target, effort](llvm::Module *code) { return optimize(*code, target, effort); };
  ExecutionEngineOptions options;
  options.transformer = transform;
  options.jitCodeGenOptLevel = level;
  options.enableGDBNotificationListener = options.enablePerfNotificationListener = false;
  return ExecutionEngine::create(module, options, std::move(*machine));
}

/// Whether FUNCTION is one block that does little but call others.
static bool isListOfCalls(LLVM::LLVMFuncOp function) {
  return !function.isExternal() && llvm::hasSingleElement(function.getBody()) &&
         llvm::range_size(function.getBody().getOps<LLVM::CallOp>()) >= manyCalls;
}

/// The one function of MODULE that is a list of calls, and who calls it for C.
static llvm::SmallVector<LLVM::LLVMFuncOp> findEntry(ModuleOp module) {
  for (auto function : module.getOps<LLVM::LLVMFuncOp>())
    if (isListOfCalls(function)) {
      llvm::SmallVector<LLVM::LLVMFuncOp> found{function};
      if (auto wrapper = module.lookupSymbol<LLVM::LLVMFuncOp>(("_mlir_ciface_" + function.getName()).str()))
        found.push_back(wrapper);
      return found;
    }
  return {};
}

llvm::Expected<HostCode> kgen::oracle::compileForHost(ModuleOp module, HostEffort effort) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  HostCode code;
  const bool isSplit = effort != HostEffort::None && !findEntry(module).empty();
  OwningOpRef<ModuleOp> rest = isSplit ? module.clone() : nullptr;
  std::vector<std::string> called;
  if (isSplit) {
    for (LLVM::LLVMFuncOp function : findEntry(*rest))
      function.erase();
    const auto kept = findEntry(module);
    for (auto function : module.getOps<LLVM::LLVMFuncOp>()) {
      if (function.isExternal() || llvm::is_contained(kept, function))
        continue;
      called.push_back(function.getName().str());
      function.eraseBody();
    }
    auto steps = compile(*rest, effort);
    if (!steps)
      return steps.takeError();
    code.steps = std::move(*steps);
  }
  auto entry = compile(module, isSplit ? HostEffort::Straight : effort);
  if (!entry)
    return entry.takeError();
  code.entry = std::move(*entry);
  for (const std::string &name : called) {
    auto address = code.steps->lookup(name);
    if (!address)
      return address.takeError();
    code.entry->registerSymbols([&](llvm::orc::MangleAndInterner mangle) {
      return llvm::orc::SymbolMap{{mangle(name), {llvm::orc::ExecutorAddr::fromPtr(*address), llvm::JITSymbolFlags()}}};
    });
  }
  return code;
}
