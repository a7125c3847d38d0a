//===- Recovery.h - Does the device still answer? -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A candidate that faults or hangs is killed with its process, and its context
// goes with it. Whether the device came back is not assumed but asked: a kernel
// whose answer is known has to give it, in a fresh process. A device that does
// not answer is left alone, never reset.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Device/CandidateProcess.h"
#include "kgen/Toolchain/Compiler.h"
#include "kgen/Toolchain/Scratch.h"

#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace kgen::evaluate {

/// The device does not answer its known-answer kernel: nothing more is run on it.
class DeviceLost : public llvm::ErrorInfo<DeviceLost> {
public:
  static char ID;
  DeviceLost(std::string device, std::string why) : device(std::move(device)), why(std::move(why)) {}
  void log(llvm::raw_ostream &os) const override {
    os << device << " does not answer its known-answer kernel (" << why << "); left alone";
  }
  std::error_code convertToErrorCode() const override { return llvm::inconvertibleErrorCode(); }
  const std::string &reason() const { return why; }

private:
  std::string device, why;
};

/// A kernel whose answer is known: 2 x + 1 on 1024 floats that nobody has seen before.
class KnownAnswer {
public:
  /// DEVICE is "host" or "cuda:N"; ARCH is what COMPILER is asked for.
  KnownAnswer(std::string device, std::string arch, std::shared_ptr<toolchain::Compiler> compiler);

  /// Compiles the kernel, once. Not about the device: an error says that the compiler is not usable.
  llvm::Error prepare();
  /// Runs it in a process of its own. Success, DeviceLost, or an error of the machinery (no memory, no compiler).
  llvm::Error check(device::CandidateRunner &runner);

private:
  llvm::Error ask(device::CandidateRunner &runner);

  std::string device, arch, artifact, planFile;
  toolchain::ScratchFolder folder; ///< holds planFile
  std::shared_ptr<toolchain::Compiler> compiler;
  candidate::LaunchPlan plan;
  uint32_t state; ///< of the input's generator
};

/// Passes everything on to INNER, and asks the device after every fault and hang before the verdict goes out. When
/// it does not answer, the call and all later ones fail with DeviceLost: whose fault it was can no longer be told.
class RecoveringRunner : public device::CandidateRunner {
public:
  RecoveringRunner(std::unique_ptr<device::CandidateRunner> inner, std::string device, std::string arch,
                   std::shared_ptr<toolchain::Compiler> compiler);

  device::CandidateProcess::Outcome start(const device::CandidateJob &job,
                                          std::unique_ptr<device::CandidateProcess> &process) override;

  /// Takes OUTCOME of PROCESS; on a fault, a hang or a process that was killed from outside the process is killed, the
  /// device asked.
  device::CandidateProcess::Outcome settle(device::CandidateProcess::Outcome outcome,
                                           std::unique_ptr<device::CandidateProcess> &process);
  llvm::Error prepare() { return known.prepare(); }
  /// Seconds from each kill to the right answer after it, in the order of the faults.
  std::vector<double> recoverySeconds();

private:
  std::unique_ptr<device::CandidateRunner> inner;
  std::string device;
  KnownAnswer known;
  std::mutex lock;
  std::vector<double> seconds;
  std::string lostWhy; ///< empty: not lost
};

} // namespace kgen::evaluate
