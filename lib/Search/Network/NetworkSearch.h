//===- NetworkSearch.h - A network searched task by task ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Private to Search. RUN/tasks/NN-NAME are runs like any other; RUN/network is a run whose branches are the network put
// together: round-00/b00 out of every task's round 0, later rounds out of the best kernels by then.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "FirstKernels.h"

#include "kgen/Graph/Partition.h"
#include "kgen/Network/Network.h"
#include "kgen/Propose/Proposer.h"
#include "kgen/Report/NetworkReport.h"
#include "kgen/Search/SearchTool.h"

namespace kgen::search {

/// Where the run of the whole lies in RUN.
std::string networkFolder(llvm::StringRef run);
/// Whether RUN is that of a network.
bool isNetworkRun(trajectory::FileSystem &fs, llvm::StringRef run);

/// GRAPH cut into tasks, where COMMAND wants that it is searched as a network; else none.
llvm::Expected<std::optional<graph::NetworkPartition>>
partitionForSearch(const SearchCommand &command, const SearchToolWorld &world, llvm::StringRef graph);

/// The cut that a search of GRAPH, a network, begins with where nobody says: keys of the partition catalogue. Tensor
/// copies and warpgroup products of convolutions read channels last, which does not show in generic kernels. Empty
/// where the card has none of these.
std::string chooseCut(graph::GraphCompiler &compiler, llvm::StringRef graph, const SearchConfig &config);

// Each returns the exit code, or an Error in one sentence.

/// Begins the run of a network in FOLDER. CONFIG is that of the whole.
llvm::Expected<int> searchNetwork(const SearchCommand &command, const SearchToolWorld &world,
                                  const SearchConfig &config, const std::string &graph,
                                  graph::NetworkPartition partition, CandidateEvaluator &evaluator,
                                  const std::string &folder);
/// `resume RUN`, once the command may go on with RUN, the network's own run. CONFIG is that of the whole.
llvm::Expected<int> resumeNetwork(const SearchCommand &command, const SearchToolWorld &world,
                                  const SearchConfig &config, CandidateEvaluator &evaluator,
                                  trajectory::RunFolder &run);
/// `replay RUN`: every task's run, and the network put together from what they recorded.
llvm::Expected<int> replayNetwork(const SearchCommand &command, const SearchToolWorld &world);
/// `report RUN`, as --format says.
llvm::Expected<std::string> printNetworkReport(const SearchCommand &command, const SearchToolWorld &world);

/// What tasks.json names for a task that has its first kernel: no branch of the task's run.
constexpr llvm::StringLiteral firstKernel = report::firstKernelChoice;
/// The plan of the first kernel of TASK in the network's branch.
inline std::string firstPlanFile(llvm::StringRef task) { return (task + ".plan.json").str(); }
/// The first kernels of the network that is BRANCH of RUN, as it recorded them, by task.
llvm::Expected<std::map<std::string, FirstKernel>> readFirstKernels(const trajectory::RunFolder &run,
                                                                    const trajectory::BranchRecord &branch);

/// Which branch each task is taken from, by its name; or `first`.
using TaskChoices = std::map<std::string, std::string>;
std::string printChoices(const TaskChoices &choices);
llvm::Expected<TaskChoices> parseChoices(llvm::StringRef text);

/// The files of the network put together, by name. FIRSTS are the kernels of the tasks that have their first one.
llvm::Expected<std::map<std::string, std::string>>
putTogether(const graph::NetworkPartition &partition, llvm::ArrayRef<std::string> precisions,
            const candidate::LaunchPlan &whole, const std::map<std::string, const trajectory::RunFolder *> &tasks,
            const TaskChoices &choices, const std::map<std::string, const FirstKernel *> &firsts);

/// What the assembly needs beside the tasks' runs, from the compiler half: the same for the same graph.
struct NetworkFacts {
  graph::NetworkPartition partition;
  std::vector<std::string> graphs, precisions; ///< by task; graphs as a run has them
  candidate::LaunchPlan whole;                 ///< inputs, outputs, class
  double flops = 0;
};
llvm::Expected<NetworkFacts> collectNetworkFacts(graph::GraphCompiler &compiler, llvm::StringRef graph,
                                                 const Chip &chip);
/// The same where the cut is known already.
llvm::Expected<NetworkFacts> collectNetworkFacts(graph::GraphCompiler &compiler, llvm::StringRef graph,
                                                 graph::NetworkPartition partition, const Chip &chip);

/// A way to cut the network: what a script makes of its graph first, "" for nothing.
struct NetworkVariant {
  std::string script, graph;
  NetworkFacts facts;
};
/// The network of BASE as SCRIPT has it. KNOWN are the tasks that were searched so far: equal ones keep their names,
/// new ones join it.
llvm::Expected<NetworkVariant> makeVariant(graph::GraphCompiler &compiler, const NetworkVariant &base,
                                           llvm::StringRef script, const Chip &chip,
                                           std::vector<graph::NetworkTask> &known);

/// A partition idea that the proposer of RUN, a network's run, has: at most one, with its directives. CONTEXT is about
/// the network as it is cut now; its slot names the question, whose answer is asked for once. REPLY receives the hash
/// of the question that was answered. None where there is nothing to say.
llvm::Expected<std::optional<network::PartitionIdea>>
askPartition(trajectory::RunFolder &run, propose::Proposer &proposer, trajectory::Clock &clock,
             propose::ProposalContext context, std::string &reply);
/// What a model is told of a network's directives.
llvm::StringRef networkDirectives();

/// The tasks that made a network of CHOICES wrong, whose measurement's detail is DETAIL: the one that it names, else
/// all whose kernel is not that of TAKEN, the last network that was right. Where first kernels are new in it they alone
/// may be: the one that is named, else all of them.
std::vector<std::string> findBlamed(const TaskChoices &choices, const TaskChoices &taken, llvm::StringRef detail);

} // namespace kgen::search
