//===- JudgeSession.h - Answers on a device, inside the judge's process ----===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "DrawnElement.h"

#include "kgen/Device/CandidateSession.h"
#include "kgen/Judge/Judge.h"

#include <map>

namespace kgen::judge {

class JudgeServers;

/// The judge's half that touches a device: `host` runs the same kernels, for tests.
class JudgeSession {
public:
  ~JudgeSession();
  /// ORACLE runs ARTIFACT by PROGRAM, the graph in fp64; OWN runs kgen's KERNELS; they share memory. SHAPE's
  /// inputs and outputs are the candidates'. PROGRAM and SHAPE outlive the session.
  static llvm::Expected<std::unique_ptr<JudgeSession>> create(device::Device &oracle, device::Device &own,
                                                              const candidate::LaunchPlan &program,
                                                              llvm::StringRef artifact, llvm::StringRef kernels,
                                                              const candidate::LaunchPlan &shape);

  /// BYTES are packed with packBuffers(shape.inputs, 0). A descriptor of the memory that keeps them, or -1.
  llvm::Expected<int> setInputs(size_t set, const char *bytes);
  /// Draws input NUMBER of SET on the device, and looks at some of it: they are the bits that the CPU draws, or it is
  /// an error. A descriptor of the memory that keeps the set, or -1.
  llvm::Expected<int> drawInput(size_t set, unsigned number, const kgen_drawing &drawing);
  /// Of the memory for a candidate's outputs, packed with packBuffers(shape.outputs, 4096), or -1.
  int outputsDescriptor() const { return shown.descriptor; }
  /// Answers the inputs of SET and keeps the answer.
  llvm::Error answer(size_t set);
  void drop(size_t set);
  /// ARTIFACT computes WHAT by PLAN, which outlives the session, on DEVICE.
  llvm::Error useProgram(Computed what, device::Device &device, const candidate::LaunchPlan &plan,
                         llvm::StringRef artifact);
  /// Computes and keeps the magnitudes of SET; compare() takes them into account from then on.
  llvm::Error learnMagnitudes(size_t set);
  /// The same of the reach of partial results, for exhibits that ask for it.
  llvm::Error learnReach(size_t set);
  /// See Judge.
  llvm::Expected<std::vector<Comparison>> declaredCosts(size_t set);
  llvm::Expected<AnswerFacts> facts(size_t set, unsigned output, double limit);
  /// How far output by output the answers of SET move.
  llvm::Expected<std::vector<Comparison>> costOf(size_t set, RoundTo round, llvm::ArrayRef<double> close);
  /// BYTES: those of output OUTPUT where the exhibit is Outputs; none: they are in outputsDescriptor()'s memory.
  llvm::Expected<Comparison> compare(size_t set, unsigned output, const Exhibit &exhibit, double close);
  /// How many answers fit beside what a candidate needs.
  size_t room();

private:
  JudgeSession(device::Device &own, const candidate::LaunchPlan &program, const candidate::LaunchPlan &shape)
      : own(own), program(program), shape(shape) {}
  llvm::Error prepare();
  using Kept = std::map<size_t, std::vector<device::DeviceAddress>>; ///< doubles, by set and output
  /// The graph's kernels.
  struct Program {
    std::unique_ptr<device::CandidateSession> session;
    const candidate::LaunchPlan *plan = nullptr;
  };
  llvm::Error load(Program &graph, device::Device &device, const candidate::LaunchPlan &plan, llvm::StringRef artifact);
  llvm::Expected<device::SharedBlock> inputsOf(size_t set);
  llvm::Error checkDrawn(const candidate::BufferSpec &spec, device::DeviceAddress at, const kgen_drawing &drawing);
  llvm::Error write(device::DeviceAddress to, const char *from, size_t bytes);
  llvm::Error run(const Program &graph, size_t set, RoundTo round, bool jittered);
  llvm::Error keep(const Program &graph, size_t set, Kept &kept);
  llvm::Error keepWide(size_t set);
  void release(size_t set, Kept &kept);
  llvm::Expected<device::DeviceAddress> takeSpare(unsigned i);
  llvm::Expected<device::SharedBlock> allocateBlock(size_t bytes);
  llvm::Error launch(size_t kernel, llvm::MutableArrayRef<uint64_t> values);
  /// An output's answer and what is known of it; 0: nothing is.
  struct Right {
    device::DeviceAddress answer = 0, magnitudes = 0, reach = 0, wide = 0;
    double most = 0; ///< see ElementFacts, and for the next
    bool onlyInfinite = false;
  };
  llvm::Error learn(const Program &graph, size_t set, Kept &kept);
  llvm::Expected<Comparison> against(const Right &right, device::DeviceAddress values, int source, double constant,
                                     int type, bool store, int64_t count, double close);
  llvm::Expected<device::DeviceAddress> allocate(size_t bytes);
  llvm::Expected<std::vector<DifferenceSums>> readPartials();

  device::Device &own;
  const candidate::LaunchPlan &program, &shape;
  candidate::LaunchPlan kernelPlan; ///< of judge_kernels.cu
  Program oracle;                   ///< of answers
  Program twin, ranges, declared;   ///< of magnitudes, of reach, in the graph's own types; once they are needed
  /// Memory of OWN's in which the buffers of whatever program runs lie.
  struct Place {
    device::DeviceAddress at;
    size_t bytes;
  };
  std::vector<Place> places;
  std::vector<size_t> inputOffsets, outputOffsets;
  size_t inputBytes = 0;
  std::map<size_t, device::SharedBlock> inputs; ///< as they are stored
  std::unique_ptr<char[]> staging;              ///< of write()
  device::SharedBlock shown;                    ///< a candidate's outputs
  device::DeviceAddress partials = 0;
  Kept answers, magnitudes, reach;
  Kept wide; ///< answers of i64 as they are, 0 for others: doubles do not tell all of them apart
  std::vector<std::vector<device::DeviceAddress>> spare; ///< answers that were dropped
};

/// The parent's side. PROGRAMFILE and SHAPEFILE are plans.
struct JudgeJob {
  std::string programFile, artifact, shapeFile, kernels;
  const candidate::LaunchPlan *shape = nullptr; ///< copied
  /// Makes the program that computes something else and calls USE with its plan's file and its artifact. Called when it
  /// is needed first, once at most for each.
  using UseProgram = llvm::function_ref<llvm::Error(const std::string &planFile, const std::string &artifact)>;
  std::function<llvm::Error(Computed what, UseProgram use)> makeProgram;
  UseCard useCard; ///< asked for a place on the card before anything is done there
};
/// A session in one of SERVERS' processes.
llvm::Expected<std::unique_ptr<Judge>> startJudge(JudgeServers &servers, const JudgeJob &job);

} // namespace kgen::judge
