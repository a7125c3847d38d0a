//===- HostCode.cpp - The LLVM dialect to machine code of this CPU -------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "HostCode.h"

#include "mlir/ExecutionEngine/ExecutionEngine.h"
#include "llvm/Analysis/TargetLibraryInfo.h"
#include "llvm/ExecutionEngine/Orc/JITTargetMachineBuilder.h"
#include "llvm/IR/Module.h"
#include "llvm/Passes/PassBuilder.h"
#include "llvm/Support/DynamicLibrary.h"
#include "llvm/Support/TargetSelect.h"
#include "llvm/Target/TargetMachine.h"

using namespace mlir;

/// Whether glibc's vector math library can serve MACHINE: its exponential is what softmax and attention wait for.
/// It is within 4 units in the last place, four digits better than the oracle's tolerance.
static bool hasVectorMath(const llvm::TargetMachine &machine) {
  // The widest functions that LLVM knows of it need AVX2.
  return machine.getTargetTriple().isX86() && machine.getTargetFeatureString().contains("+avx2") &&
         !llvm::sys::DynamicLibrary::LoadLibraryPermanently("libmvec.so.1");
}

/// -O3 for MACHINE, as MLIR's makeOptimizingTransformer does it, with vector math; where code is not OPTIMISED, -O0.
static llvm::Error optimize(llvm::Module &module, llvm::TargetMachine &machine, bool optimised) {
  llvm::LoopAnalysisManager loops;
  llvm::FunctionAnalysisManager functions;
  llvm::CGSCCAnalysisManager callGraph;
  llvm::ModuleAnalysisManager modules;
  llvm::PipelineTuningOptions tuning;
  tuning.LoopUnrolling = tuning.LoopInterleaving = tuning.LoopVectorization = tuning.SLPVectorization = true;
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
  (optimised ? builder.buildPerModuleDefaultPipeline(llvm::OptimizationLevel::O3)
             : builder.buildO0DefaultPipeline(llvm::OptimizationLevel::O0))
      .run(module, modules);
  return llvm::Error::success();
}

llvm::Expected<std::unique_ptr<ExecutionEngine>> kgen::oracle::compileForHost(ModuleOp module, bool optimised) {
  static const bool initialized = [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
    return true;
  }();
  (void)initialized;
  auto builder = llvm::orc::JITTargetMachineBuilder::detectHost();
  if (!builder)
    return builder.takeError();
  if (!optimised)
    builder->setCodeGenOptLevel(llvm::CodeGenOptLevel::None);
  auto machine = builder->createTargetMachine();
  if (!machine)
    return machine.takeError();
  // One rounding instead of two is only closer to the truth, and twice as fast.
  (*machine)->Options.AllowFPOpFusion = llvm::FPOpFusion::Fast;
  llvm::TargetMachine &target = **machine;
  auto transform = [&target, optimised](llvm::Module *code) { return optimize(*code, target, optimised); };
  ExecutionEngineOptions options;
  options.transformer = transform;
  options.jitCodeGenOptLevel = optimised ? llvm::CodeGenOptLevel::Aggressive : llvm::CodeGenOptLevel::None;
  options.enableGDBNotificationListener = options.enablePerfNotificationListener = false;
  return ExecutionEngine::create(module, options, std::move(*machine));
}
