//===- CommandTable.cpp - kgen-search's commands --------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CommandTable.h"

using namespace llvm;

namespace kgen::search {

static constexpr CommandSpec commands[] = {
    {SearchCommand::Search, "search", Operands::None, "look for the fastest kernel; the word may be left out",
     "A search starts from generic kernels (round 0). Each round takes the fastest right kernels so far, has ideas in "
     "words about each, carries every idea out in several ways (a script of directives, or CUDA-C), compiles, verifies "
     "against an fp64 oracle, times, and keeps what is right and fast. Everything lands in a run folder, which can be "
     "resumed, replayed and read: RUN/best/kernel.cu is the result.\n"
     "Ctrl-C ends a search cleanly; kgen-search resume RUN goes on where it was.\n"
     "  kgen-search --problem conv_relu_maxpool          small, on this machine\n"
     "  kgen-search --problem softmax --device cuda:0    on a card, published size\n"
     "  kgen-search --problem my_model.py --rounds 5     class Model, get_inputs()"},
    {SearchCommand::Resume, "resume", Operands::Run, "go on with a run that was interrupted or reached a limit",
     "The run goes on where it was, with the options that it began with; limits may be raised. What a killed process "
     "left half done is done again."},
    {SearchCommand::Replay, "replay", Operands::Run, "derive every kernel of a run again and compare bytes",
     "Lowers every branch again from what its proposer answered and compares each file byte for byte. Needs no device, "
     "no network and no key."},
    {SearchCommand::Report, "report", Operands::Run, "what a run found",
     "Prints the best kernel of each round, what bounds the best one, and what the run cost. --format html is one page "
     "with everything.\n"
     "  kgen-search report runs/softmax --format html --out softmax.html"},
    {SearchCommand::Add, "add", Operands::Run, "give a running or stopped search an idea or a kernel",
     "What is given waits in the run's inbox for the next round. At least one of --idea and --seed-kernel is needed; "
     "both may be given several times.\n"
     "  kgen-search add runs/softmax --idea \"memory: read each row once\""},
    {SearchCommand::Prompt, "prompt", Operands::RunAndBranch, "what a model was told, or would be, for a branch",
     "Prints the questions that led to the branch, as they were sent; where no model was asked, as they would be.\n"
     "  kgen-search prompt runs/softmax round-01/b00"},
    {SearchCommand::Export, "export", Operands::Runs, "a line of JSON for each branch, failures too",
     "docs/dataset.md describes the lines."},
    {SearchCommand::Compare, "compare", Operands::Runs, "several runs on one problem side by side",
     "Each run's best kernel, the round and the number of branches after which it was found, and the best time after a "
     "quarter, half, three quarters and all of the branches."},
    {SearchCommand::ComparePolicies, "compare-policies", Operands::None, "searches by each policy with the same budget",
     "The budget of each search is --branches or --max-minutes. Round 0 of a problem is measured once. A search that "
     "is "
     "there already is gone on with, so the same line again continues a comparison. OUT/comparison.html is a page with "
     "a figure: in which round each policy found its best, and the best so far with its spread; comparison.json holds "
     "the numbers.\n"
     "  kgen-search compare-policies --problem softmax --problem matmul_fp16 \\\n"
     "    --repeats 3 --branches 40 --out runs/policies"},
    {SearchCommand::Problems, "problems", Operands::None, "list the registered problems",
     "Name, precision class and inputs of each. They lie beside kgen-search, or in the folder that $KGEN_PROBLEMS "
     "names."},
    {SearchCommand::Ideas, "ideas", Operands::None, "the ideas of the builtin catalogue",
     "Key, category, families and words of each; with --problem those that a search of it could begin with, the most "
     "promising first. A key is what --idea takes.\n"
     "  kgen-search ideas --problem softmax"},
    {SearchCommand::Prior, "prior", Operands::Runs, "how well the prior ranks what runs measured",
     "For each family of kernels: Spearman's rank correlation of what the prior of this kgen expects of the "
     "catalogue's "
     "kernels with what they took, over all runs. A kernel counts relative to the geometric mean of its run. Of two "
     "ways to carry out one idea whose times differ by 2 %, the catalogue should list the faster one first: how often "
     "it "
     "does. "
     "--format json lists the kernels.\n"
     "  kgen-search prior runs/softmax runs/matmul_fp16"},
    {SearchCommand::First, "first", Operands::None,
     "the kernels that the catalogue holds for the best, without a search",
     "Cuts the graph into tasks as the search of a network does, and gives each the first idea of the catalogue that "
     "its families take and that compiles, by what the prior expects; the generic kernel where there is none. Without "
     "the target's compiler on this machine nothing is compiled. Nothing is run or timed. OUT is a candidate: "
     "plan.json, a text for each task, and ideas.txt, which is printed. In class "
     "strict-fp32 nothing uses tensor cores.\n"
     "  kgen-search first --problem graph.mlir --target sm_90a --out first\n"
     "  kgen-eval first --bundle bundle --device sm_90a"},
    {SearchCommand::Doctor, "doctor", Operands::None, "what this machine has, what is missing, and how to get it",
     "The exit code is 0 when searching on device host works."},
    {SearchCommand::Help, "help", Operands::Command, "this, or what one command takes",
     "  kgen-search help replay      the same as kgen-search replay --help"},
};

ArrayRef<CommandSpec> commandTable() { return commands; }

const CommandSpec &commandSpec(SearchCommand::Kind kind) {
  for (const CommandSpec &command : commands)
    if (command.kind == kind)
      return command;
  return commands[0];
}

const CommandSpec *findCommand(StringRef name) {
  for (const CommandSpec &command : commands)
    if (command.name == name)
      return &command;
  return nullptr;
}

StringRef CommandSpec::operandWords() const {
  switch (operands) {
  case Operands::None:
    return "";
  case Operands::Run:
    return "RUN";
  case Operands::Runs:
    return "RUN...";
  case Operands::RunAndBranch:
    return "RUN BRANCH";
  case Operands::Command:
    return "[COMMAND]";
  }
  return "";
}

} // namespace kgen::search
