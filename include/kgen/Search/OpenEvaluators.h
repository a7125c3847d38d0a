//===- OpenEvaluators.h - Which evaluators a search has, and where --------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// An evaluator is a `kgen-eval --serve` process for one device. It is started
// here, or by a launcher: a command that runs one program elsewhere, whose
// stdin and stdout are the wire. Who places and queues it is not kgen's matter.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Search/CandidateEvaluator.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"

#include <functional>

namespace kgen::search {

/// What --device and --launcher ask for.
struct EvaluatorRequest {
  EvaluatorRequest(std::string devices = "auto", std::vector<std::string> launchers = {})
      : devices(std::move(devices)), launchers(std::move(launchers)) {}
  std::string devices;                ///< see parseDevices()
  std::vector<std::string> launchers; ///< each starts an evaluator for each device; none: they run here
};

/// The devices that TEXT names: "host", "cuda:N", "auto" or "all", several with commas between, "host*3" for three
/// alike. A card of this machine has one evaluator, so that without a LAUNCHED one none comes twice.
llvm::Expected<std::vector<std::string>> parseDevices(llvm::StringRef text, bool launched);

/// How many evaluators of one card serve a network's search with COMPILEJOBS: up to three, one for each four of them,
/// and as many as have room in CARDBYTES of memory (0: not known) for eight times the GRAPHBYTES that the network reads
/// and writes.
int countSharers(int compileJobs, int64_t cardBytes, double graphBytes);

/// The words of a launcher: "slurm" and "slurm:OPTIONS" are srun, anything else is the command itself.
llvm::Expected<std::vector<std::string>> parseLauncher(llvm::StringRef text);

/// One evaluator.
struct EvaluatorPlace {
  std::string device;                ///< "host", "cuda:N" or "auto"
  std::vector<std::string> launcher; ///< the words before its command line; empty: it runs here
  std::string programFolder;         ///< where kgen-eval lies
  bool oneOfSeveral = false;         ///< it says at once when its process ended, so that another takes the job
  std::string gate = "";             ///< a file by which those of one card take turns; empty: it has it alone
  unsigned sharers = 1;              ///< evaluators of that card
};

/// Is told what happens, as sentences.
using Listener = std::function<void(llvm::StringRef)>;

/// Compiles here, in child processes, and measures in a `kgen-eval --serve` child. A call in progress ends once
/// ISSTOPPED says so. WAITING is told what the launcher says while the evaluator is not there yet.
llvm::Expected<std::unique_ptr<CandidateEvaluator>>
createProcessEvaluator(const EvaluatorPlace &place, std::function<bool()> isStopped, const Listener &waiting = {});

/// One of the evaluators of a pool.
struct PoolMember {
  std::string name; ///< "cuda:1", "evaluator 3 (srun)"
  /// Starts it, at first and after its end; takes as long as it takes, or until ISSTOPPED. WAITING: see
  /// createProcessEvaluator(). An EvaluatorLost is for good, any other error may pass. Called in the member's own
  /// thread.
  std::function<llvm::Expected<std::unique_ptr<CandidateEvaluator>>(const Listener &waiting,
                                                                    std::function<bool()> isStopped)>
      open;
  std::string mark;       ///< stands after the device in its measurements; may be empty
  bool elsewhere = false; ///< and so does its machine
};

/// Several evaluators as one. Candidates go to whoever is free. The first one of MEMBERS that is ready is the run's
/// reference; who has another model of card or another compiler leaves. Who ends in the middle of a job is started
/// again while others do that job; who ends again and again, or whose device does not answer, leaves for good. Returns
/// when the reference is there; the others join as they come. SAY gets what happens until then, as sentences.
llvm::Expected<std::unique_ptr<CandidateEvaluator>>
createEvaluatorPool(std::vector<PoolMember> members, const std::atomic<bool> &stop, const Listener &say);

/// Opens what REQUEST asks for; kgen-eval lies in PROGRAMFOLDER.
llvm::Expected<std::unique_ptr<CandidateEvaluator>> openEvaluators(const EvaluatorRequest &request,
                                                                   const std::string &programFolder,
                                                                   const std::atomic<bool> &stop, const Listener &say);

} // namespace kgen::search
