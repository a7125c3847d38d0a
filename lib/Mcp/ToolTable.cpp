//===- ToolTable.cpp - The table of tools ---------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Handlers.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

#include <algorithm>

using namespace llvm;

namespace kgen::mcp {
namespace {

using Handler = Expected<Json> (*)(Workspace &workspace, const Json &arguments, Call &call);

enum Effect { Reads, Writes, WritesOnce };

struct Row {
  const char *name, *title, *description;
  std::vector<Field> input, output;
  Effect effect;
  Handler run;
};

constexpr size_t longestText = 1 << 20;

Shape runName() {
  return Shape::matching("^[A-Za-z0-9_][A-Za-z0-9_.-]*$", "letters, digits, '_', '-' and '.', the first no '-' or '.'",
                         64);
}
/// A run, or one of those that a network's run is made of.
Shape anyRunName() {
  return Shape::matching("^[A-Za-z0-9_][A-Za-z0-9_.-]*(/network|/tasks/[A-Za-z0-9_][A-Za-z0-9_.-]*)?$",
                         "a run's name, or RUN/tasks/TASK of a network", 160);
}
Shape branchName() { return Shape::matching("^(best|round-[0-9]+/b[0-9]+)$", "best, or a branch as round-01/b00", 32); }
Shape shape() { return Shape::list(Shape::whole(0, int64_t(1) << 53), 64); }
Shape count() { return Shape::whole(0, int64_t(1) << 53); }

Field problem() {
  return need("problem",
              "a registered problem's name (list_problems), or a FILE.py or FILE.mlir below the server's root",
              Shape::text(1000));
}
Field run() { return need("run", "the run's name, as open_run, start_search and list_runs give it", anyRunName()); }
Field size() {
  return may("size", "small or the published full size; default: small on device host, full on a card",
             Shape::choice({"small", "full"}));
}
Field describedSize() {
  return may("size", "small or the published full size; default full", Shape::choice({"small", "full"}));
}
Field precision() {
  return may("precision", "the class of arithmetic that answers must keep; default: the problem's own",
             Shape::choice({"strict-fp32", "tf32", "fp16", "bf16"}));
}
Field device() {
  return may(
      "device",
      "host, cuda:N, several as cuda:0,cuda:1, all cards, or auto: a card where there is one; default: the server's",
      Shape::matching("^(auto|host|all|cuda:[0-9]+(,cuda:[0-9]+)*)$", "auto, all, host or cuda:N", 100));
}
Field newName() {
  return may("name", "a name for the new run that no other has; default: the problem's with a number", runName());
}
Field minutes() {
  return may("max_minutes", "the time that all work on the run may take together", Shape::real(0.1, 10000));
}
Field background() {
  return may("background", "answer at once, and let search_state tell how it goes; default false", Shape::flag());
}

std::vector<Field> tensorFields() {
  return {need("dtype", "the element type, as f32", Shape::text()), need("shape", "its extents", shape())};
}
Shape tensors() { return Shape::list(Shape::record(tensorFields())); }

Shape branchShape() {
  return Shape::record({
      need("branch", "its id, as round-01/b00", Shape::text()),
      may("parent", "the branch that it was made from", Shape::text()),
      need("idea", "in words", Shape::text()),
      may("settings", "what the idea set, in short", Shape::text()),
      need("verdict",
           "PASS, WRONG, FAULT, TIMEOUT, RACE, CHEAT, REJECT, BADREPLY or UNSUPPORTED; PENDING until it is there",
           Shape::text()),
      may("detail", "why, where it is not PASS", Shape::text()),
      may("refusal", "what the compiler refused, as data", Shape::map(Shape::text())),
      may("time_us", "the median, where it passed", Shape::number()),
      may("floor_us", "the least that the device needs for this", Shape::number()),
      may("speedup", "round 0's time over this one", Shape::number()),
      may("floor_percent", "the floor over its time", Shape::number()),
      may("comparison", "against the best before it, timed in turns: FAST, SAME, SLOW, AMBIGUOUS or INVALID",
          Shape::text()),
      may("diagnosis", "what bounds it, in words", Shape::text()),
      may("same_as", "the branch with the same code whose measurement this one shares", Shape::text()),
      may("warnings", "what the verdict is worth less for", Shape::list(Shape::text())),
  });
}

std::vector<Field> stateFields() {
  return {
      run(),
      need("problem", "its graph's name", Shape::text()),
      need("size", "small or full", Shape::text()),
      need("device", "what it is measured on", Shape::text()),
      need("precision", "the class that answers keep", Shape::text()),
      need("state",
           "running: at work; ended: complete, new proposals may be evaluated; stopped: cut short, "
           "start_search goes on",
           Shape::choice({"running", "ended", "stopped"})),
      may("reason", "why it ended", Shape::text()),
      may("error", "what went wrong, where it ended badly", Shape::text()),
      may("activity", "what is going on now", Shape::text()),
      need("done", "branches that are measured", count()),
      may("expected", "branches that there will be, as far as can be told", count()),
      need("verdicts", "branches by verdict", Shape::map(count())),
      may("best", "the fastest that passed", branchShape()),
      need("generic_us", "round 0's time, 0 while there is none", Shape::number()),
      need("floor_us", "the floor's, 0 where it is not known", Shape::number()),
      need("seconds", "that the run has taken", Shape::number()),
      need("waiting", "proposals in the inbox that no round has taken", count()),
      need("folder", "the run folder on the server's disk", Shape::text()),
  };
}

std::vector<Field> with(std::vector<Field> fields, std::vector<Field> more) {
  fields.insert(fields.end(), more.begin(), more.end());
  return fields;
}

std::vector<Field> problemFields() {
  return {
      need("name", "the graph's name", Shape::text()),
      need("problem", "what to call it in other tools", Shape::text()),
      need("size", "small or full", Shape::text()),
      need("precision", "the class that answers must keep", Shape::text()),
      need("inputs", "of the function", tensors()),
      need("outputs", "of the function", tensors()),
      need("flops", "of the whole graph", Shape::number()),
      need("compulsory_bytes", "each input read once and each output written once", Shape::number()),
      need("floor", "the least time that a card needs, by its rates",
           Shape::record({need("card", "the driver's name of it", Shape::text()),
                          need("us", "microseconds", Shape::number()),
                          need("memory_us", "for the bytes alone", Shape::number()),
                          need("arithmetic_us", "for the arithmetic alone", Shape::number()),
                          need("diagnosis", "which of the two bounds the problem", Shape::text())})),
      need("ops", "in program order",
           Shape::list(Shape::record({
               need("index", "its place", count()),
               need("op", "ATen's name", Shape::text()),
               need("family", "the kernel family that computes it by itself; empty: the generic path", Shape::text()),
               need("operands", "their types", tensors()),
               need("results", "their types", tensors()),
               need("attributes", "as printed", Shape::map(Shape::text())),
               need("flops", "of it", Shape::number()),
           }))),
      need("kernels", "how ops join into kernels where element-wise ops follow their producer",
           Shape::list(Shape::record({need("family", "that computes them", Shape::text()),
                                      need("anchor", "the op that decides the family", count()),
                                      need("ops", "all of them", Shape::list(count()))}))),
      may("graph", "the MLIR text", Shape::text()),
  };
}

Field withGraph() { return may("graph", "whether to give the graph's MLIR text too; default false", Shape::flag()); }
Field card() {
  return may("card", "the driver's name of the card for the floor; default NVIDIA H200", Shape::text(100));
}

std::vector<Field> proposalFields() {
  return {
      may("parent", "the branch that it is about; default: the best for an idea, round 0 for the others", branchName()),
      may("idea",
          "the optimisation in words; alone, the server's proposer carries it out: the builtin one knows the catalogue "
          "of "
          "list_ideas, by key or by its words. Beside directives or cuda it says what they are for",
          Shape::text(4000)),
      may("directives", "a transform.kgen.* script for the whole graph (read_guide says which there are)",
          Shape::text(longestText)),
      may("cuda",
          "the text of kernel.cu: device code alone. Its launch plan is in plan, or in its header: "
          "// kgen-launch: kernel=NAME grid=X,Y block=X shared=BYTES args=in0,out0,ws0",
          Shape::text(longestText)),
      may("plan", "the launches of cuda as JSON text, {\"launches\": [...], \"workspace\": [...]}",
          Shape::text(longestText)),
  };
}

std::vector<Field> searchLimits() {
  return {
      may("rounds", "after round 0", Shape::whole(0, 1000)),
      may("ideas", "for each parent", Shape::whole(1, 100)),
      may("variants", "ways to carry each idea out", Shape::whole(1, 100)),
      may("seeds", "parents kept after each round", Shape::whole(1, 100)),
      may("branches", "stop after so many", Shape::whole(1, 100000)),
      may("tune", "neighbours of each round's best that are measured besides", Shape::whole(0, 1000)),
      minutes(),
      may("policy", "what to try next; default branch",
          Shape::choice({"branch", "sequential", "beam", "islands", "mcts"})),
      may("stop_at_floor", "end when the floor over the best time reaches this share", Shape::real(0, 1)),
      may("seed", "of the policy's draws", Shape::whole(0, int64_t(1) << 53)),
      may("network", "whether a graph of many kernels is searched task by task; default auto: from some size on",
          Shape::choice({"auto", "always", "never"})),
  };
}

std::vector<Row> rows() {
  return {
      {"list_problems",
       "List problems",
       "The problems that come with kgen, with their inputs. A PyTorch file of your own is a problem too: "
       "import_problem.",
       {},
       {need("problems", "sorted by name",
             Shape::list(Shape::record(
                 {need("name", "to call it by", Shape::text()), need("precision", "its class", Shape::text()),
                  need("inputs", "of the full size", tensors()), need("outputs", "of the full size", tensors()),
                  need("flops", "of the full size", Shape::number())})))},
       Reads,
       listProblems},
      {"import_problem",
       "Import a PyTorch file",
       "Imports a PyTorch file in the benchmark's form (class Model, get_inputs, get_init_inputs) from below the "
       "server's "
       "root, by kgen's frontend in a process of its own, and says what graph it is. The file's path is then a problem "
       "for "
       "the other tools. Importing runs the file.",
       {need("file", "FILE.py, relative to the server's root", Shape::text(1000)), describedSize(), precision(),
        card()},
       problemFields(),
       Reads,
       importProblem},
      {"describe_problem",
       "Describe a problem",
       "The facts of a problem: its ops and which kernel family takes each, arithmetic and bytes, and the floor, which "
       "no "
       "kernel can be faster than, with what bounds it.",
       {problem(), describedSize(), precision(), card(), withGraph()},
       problemFields(),
       Reads,
       describeProblem},
      {"list_ideas",
       "List ideas",
       "kgen's catalogue of optimisations; with a problem or a run those of them that apply to it, the most promising "
       "first. An "
       "idea's key can be given to propose and evaluate.",
       {may("problem", "only what applies to it", Shape::text(1000)),
        may("run", "instead of a problem: only what applies to the graph of this run, or of this task of a network",
            anyRunName()),
        may("family", "only what changes this kernel family, as gemm", Shape::text(64)), device()},
       {need("ideas", "most promising first where a problem was given",
             Shape::list(Shape::record({need("key", "to propose it by", Shape::text()),
                                        need("category", "what it is about", Shape::text()),
                                        need("families", "that it changes", Shape::list(Shape::text())),
                                        need("idea", "in words", Shape::text())})))},
       Reads,
       listIdeas},
      {"read_guide",
       "Read the guide for kernels",
       "What whoever writes directives or CUDA-C for kgen has to know: the schedule keys and their values, the rules "
       "for "
       "kernel.cu and its launch plan, the device functions that may be called.",
       {},
       {need("text", "the guide", Shape::text())},
       Reads,
       readGuide},
      {"open_run",
       "Open a run",
       "Begins a run folder for a problem and verifies and times round 0, kgen's own correct kernel. Then propose and "
       "evaluate try yours in it. The run stays until somebody deletes its folder, and replays to the byte.",
       {problem(), size(), precision(), device(), newName(), minutes(), background()},
       stateFields(),
       Writes,
       openRun},
      {"propose",
       "Propose an idea, directives or a kernel",
       "Puts one proposal into a run's inbox: an idea, a transform script or CUDA-C. evaluate takes it; a search that "
       "is at "
       "work on the run takes it in its next round.",
       with({run()}, proposalFields()),
       {run(), need("entry", "its name in the inbox", Shape::text()),
        need("waiting", "proposals that wait there", count())},
       Writes,
       propose},
      {"evaluate",
       "Evaluate proposals",
       "Compiles, verifies against the oracle on secret inputs, and times what was proposed to a run, in a confined "
       "process: "
       "the proposal of this call, if there is one, and all that wait. The run has been opened by open_run, or its "
       "search "
       "has ended.",
       with(with({run()}, proposalFields()), {minutes(), background()}),
       {run(), need("branches", "what became of each", Shape::list(branchShape())),
        may("best", "the fastest of the run that passed", branchShape()),
        need("state", "ended, or stopped where it was cut short; running with background", Shape::text())},
       Writes,
       evaluate},
      {"start_search", "Start a search",
       "Starts a search on a problem in the background, or goes on with a run that was cut short; answers when the run "
       "folder "
       "is there. search_state tells how it goes.",
       with({may("problem", "for a new run: a registered name, FILE.py or FILE.mlir", Shape::text(1000)),
             may("run", "to go on with instead", anyRunName()), size(), precision(), device(), newName()},
            searchLimits()),
       stateFields(), Writes, startSearch},
      {"search_state",
       "Ask how a run stands",
       "How far a run is and what is best in it. With wait_seconds it answers when the run has ended or the time is "
       "over, and "
       "tells its progress meanwhile.",
       {run(), may("wait_seconds", "how long to wait for the end; default 0", Shape::real(0, 3600))},
       stateFields(),
       Reads,
       searchState},
      {"cancel_search",
       "Cancel a search",
       "Ends what is at work on a run, cleanly: all that was measured is kept, and start_search can go on with it.",
       {run()},
       stateFields(),
       WritesOnce,
       cancelSearch},
      {"list_runs",
       "List runs",
       "The runs in the server's folder, whoever made them.",
       {},
       {need("runs", "sorted by name",
             Shape::list(Shape::record(
                 {need("run", "its name", Shape::text()), need("problem", "its graph", Shape::text()),
                  need("device", "what it is measured on", Shape::text()),
                  may("tasks", "of a network: the runs of its different kernels, which other tools take too",
                      Shape::list(Shape::text())),
                  may("error", "why it cannot be read", Shape::text())})))},
       Reads,
       listRuns},
      {"list_branches",
       "List branches",
       "What was tried in a run, in order.",
       {run(), may("from", "the first one, counted from 0; default 0", Shape::whole(0, 1000000)),
        may("count", "how many; default 50", Shape::whole(1, 500))},
       {run(), need("total", "branches in the run", count()), need("branches", "in order", Shape::list(branchShape()))},
       Reads,
       listBranches},
      {"read_branch",
       "Read a branch",
       "A branch with its files: the best kernel of a run, unless another is named.",
       {run(), may("branch", "default best", branchName()),
        may("files",
            "default kernel.cu and plan.json; of a network plan.json and tasks.json, which says whose kernel is whose",
            Shape::list(Shape::choice({"kernel.cu", "plan.json", "directives.mlir", "annotated.mlir", "lowered.mlir",
                                       "idea.md", "compile.log", "measurement.json", "tasks.json", "partition.json"}),
                        10))},
       {run(), need("branch", "what became of it", branchShape()),
        need("files", "text by name; what the branch does not have is left out", Shape::map(Shape::text()))},
       Reads,
       readBranch},
      {"read_report",
       "Read a report",
       "The report of a run: what was tried, what was found, what it cost.",
       {run(), may("format", "default text", Shape::choice({"text", "markdown", "json"}))},
       {run(), need("text", "the report", Shape::text())},
       Reads,
       readReport},
      {"replay_run",
       "Replay a run",
       "Derives every snapshot of a run again from what was proposed and compares bytes. Needs no device.",
       {run()},
       {run(), need("text", "how many branches and files were derived again, the same to the byte", Shape::text())},
       Reads,
       replayRun},
  };
}

} // namespace

std::vector<Tool> makeTools(Workspace &workspace) {
  std::vector<Tool> tools;
  for (Row &row : rows()) {
    Tool tool{row.name, row.title, row.description, Shape::record(std::move(row.input)),
              Shape::record(std::move(row.output))};
    tool.readOnly = row.effect == Reads;
    tool.idempotent = row.effect == WritesOnce;
    std::vector<std::string> names;
    for (const Field &field : tool.input.fields)
      names.push_back(field.name);
    tool.run = [&workspace, run = row.run, names](const Json &arguments, Call &call) -> Expected<Json> {
      auto answer = run(workspace, arguments, call);
      if (answer)
        return answer;
      return createStringError(spellForClients(toString(answer.takeError()), names));
    };
    tools.push_back(std::move(tool));
  }
  return tools;
}

std::string spellForClients(StringRef sentence, ArrayRef<std::string> names) {
  std::string out;
  for (size_t at; (at = sentence.find("--")) != StringRef::npos;) {
    out += sentence.take_front(at);
    sentence = sentence.drop_front(at);
    StringRef word = sentence.drop_front(2).take_while([](char c) { return isLower(c) || c == '-'; });
    std::string argument = word.str();
    std::replace(argument.begin(), argument.end(), '-', '_');
    const bool startsWord = out.empty() || StringRef(" (`").contains(out.back());
    if (startsWord && is_contained(names, argument))
      out += argument;
    else if (startsWord && word == "llm")
      out += "the server's --llm";
    else
      out += "--" + word.str();
    sentence = sentence.drop_front(2 + word.size());
  }
  return out + sentence.str();
}

std::string printInstructions() {
  return "kgen searches for fast CUDA-C kernels for PyTorch graphs with fixed shapes, and verifies each against an "
         "fp64 oracle "
         "on secret inputs before it is timed. Begin with list_problems or import_problem, then describe_problem. "
         "Either "
         "start_search lets kgen search by itself in the background, or open_run begins a run in which you try your "
         "own: "
         "evaluate takes an idea of list_ideas by its key, a transform script, or CUDA-C with a launch plan "
         "(read_guide says "
         "how they are written). read_branch gives the best kernel, read_report what was tried. You supply device code "
         "and a "
         "plan that is data; nothing of yours runs on the host, and what the oracle answers is not told.";
}

std::string printToolReference(const std::vector<Tool> &tools) {
  std::string page;
  for (const Tool &tool : tools) {
    page += "### " + tool.name + "\n\n" + tool.description + "\n\n";
    if (tool.input.fields.empty()) {
      page += "No arguments.\n\n";
      continue;
    }
    page += "| argument | | what |\n|---|---|---|\n";
    for (const Field &field : tool.input.fields) {
      Json schema = field.shape.schema();
      std::string what = field.description;
      if (!field.shape.choices.empty())
        what += " (" + join(field.shape.choices, ", ") + ")";
      page += "| `" + field.name + "` | " + schema["type"].get<std::string>() + (field.required ? ", required" : "") +
              " | " + what + " |\n";
    }
    page += "\n";
  }
  return page;
}

} // namespace kgen::mcp
