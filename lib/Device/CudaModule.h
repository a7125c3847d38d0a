//===- CudaModule.h - A candidate's machine code on a card ----------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Runtime/CudaDriver.h"

#include "kgen/Device/Device.h"

namespace kgen::device {

/// The candidate's modules and the launches of its plan, which must outlive it.
class CudaModule {
public:
  CudaModule(const cuda::Driver &driver, cuda::DeviceId id);
  ~CudaModule();
  CudaModule(const CudaModule &) = delete;

  /// Looks up every kernel of PLAN in its cubin of ARTIFACT. A CandidateError where one is not there, or takes or needs
  /// something else than the plan or the card gives.
  llvm::Error load(llvm::StringRef artifact, const candidate::LaunchPlan &plan);
  /// Fresh modules of the same machine code.
  llvm::Error reload();
  std::vector<DigestJob> variables() const;
  /// By module of the plan: its kernels may pass something on from launch to launch in variables of their own.
  std::vector<bool> keepsVariables() const;
  /// Queues launch INDEX of the plan; FOLLOWS: nothing but kernels was queued on STREAM since the launch before it.
  llvm::Error launch(size_t index, llvm::ArrayRef<void *> values, cuda::Stream stream, bool follows) const;
  /// The most that one of its kernels has for a thread.
  size_t localBytes() const { return mostLocal; }
  /// The most that the card gives a block.
  int sharedBytesPerBlock() const { return maxShared; }
  int multiprocessorCount() const { return multiprocessors; }

private:
  llvm::Error lookUp();
  llvm::Error checkKernel(cuda::Function function, const candidate::Launch &launch);
  llvm::Error checkResidency(cuda::Function function, const candidate::Launch &launch) const;
  llvm::Error checkParameters(cuda::Function function, const candidate::Launch &launch) const;

  const cuda::Driver &driver;
  int maxShared = 0, multiprocessors = 0;
  size_t mostLocal = 0;
  /// The machine code of one text.
  struct Image {
    std::string bytes;
    std::vector<std::string> names; ///< of its variables
    cuda::Module module = nullptr;
  };
  std::vector<Image> images; ///< by module of the plan
  std::vector<cuda::Function> functions;
  std::vector<bool> waits; ///< by launch: its kernel waits by itself for those before
  std::vector<const candidate::Launch *> launches;
};

} // namespace kgen::device
