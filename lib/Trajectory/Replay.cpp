//===- Replay.cpp ---------------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Trajectory/Replay.h"
#include "kgen/Propose/ModelProposer.h"
#include "kgen/Trajectory/CorruptRun.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/ThreadPool.h"

#include <algorithm>

using namespace llvm;

namespace kgen::trajectory {
namespace {

/// Files that the code generator writes: another version of it may write them differently.
bool isGenerated(StringRef name) {
  return name == "annotated.mlir" || name == "lowered.mlir" || name == "plan.json" || name == "kernel.cu";
}

size_t firstDifference(StringRef a, StringRef b) {
  size_t common = std::min(a.size(), b.size());
  return std::mismatch(a.begin(), a.begin() + common, b.begin()).first - a.begin();
}

class Replayer {
public:
  Replayer(FileSystem &fs, const RunFolder &run, graph::GraphCompiler &compiler, const ReplayOptions &options)
      : fs(fs), run(run), compiler(compiler), options(options) {
    Json chipJson = run.getConfig().value("chip", Json::object());
    chip.arch = chipJson.value("arch", chip.arch);
    chip.sharedBytesPerBlock = chipJson.value("shared_bytes_per_block", chip.sharedBytesPerBlock);
    chip.multiprocessors = chipJson.value("multiprocessors", chip.multiprocessors);
  }

  Expected<ReplaySummary> replay() {
    std::vector<const BranchRecord *> branches;
    for (const BranchRecord &branch : run.getBranches())
      if (!branch.measurement.empty()) // one in flight has no snapshot yet
        branches.push_back(&branch);
    std::vector<ReplaySummary> parts(branches.size());
    std::vector<std::unique_ptr<ErrorInfoBase>> faults(branches.size());
    auto derive = [&](size_t i) {
      Replayer replayer(fs, run, compiler, options);
      handleAllErrors(replayer.replayBranch(*branches[i]),
                      [&](std::unique_ptr<ErrorInfoBase> fault) { faults[i] = std::move(fault); });
      parts[i] = std::move(replayer.summary);
    };
    // Round 0 first and alone: it is lowered in this process, and the others may be in children, which
    // must not be forked while a lock is held.
    size_t next = 0;
    while (next < branches.size() && (options.jobs == 1 || branches[next]->round == 0) && !faults[next ? next - 1 : 0])
      derive(next++);
    if (options.jobs > 1) {
      DefaultThreadPool workers(hardware_concurrency(options.jobs));
      for (; next < branches.size(); ++next)
        workers.async([&derive, next] { derive(next); });
      workers.wait();
    }
    ReplaySummary all;
    for (size_t i = 0; i < branches.size(); ++i) {
      if (faults[i])
        return Error(std::move(faults[i]));
      all.branches += parts[i].branches;
      all.files += parts[i].files;
      all.leftOut += parts[i].leftOut;
      all.recordedOnly.insert(all.recordedOnly.end(), parts[i].recordedOnly.begin(), parts[i].recordedOnly.end());
    }
    if (Error error = checkBest())
      return std::move(error);
    return all;
  }

private:
  Expected<graph::LoweredGraph> derive(const BranchRecord &branch, std::string &directives) {
    if (branch.reply.empty())
      return compiler.lowerGeneric(run.getGraph(), chip);
    const ReplyRecord *reply = run.findReplyByHash(branch.reply);
    if (!reply)
      return createStringError(Twine(branch.id) + ": its reply " + branch.reply + " is not in the run");
    auto options = propose::parseMaterializations(reply->reply);
    if (!options)
      return options.takeError();
    if (branch.option < 0 || size_t(branch.option) >= options->size())
      return createStringError(Twine(branch.id) + ": reply " + branch.reply + " has no option " + Twine(branch.option));
    const propose::Materialization &chosen = (*options)[branch.option];
    directives = chosen.directives;
    if (!chosen.problem.empty())
      return createStringError(chosen.problem);
    // Of a model's answers one must be what the way was made of.
    std::vector<const propose::Exchange *> exchanges = run.findExchanges(reply->slot);
    if (!exchanges.empty() && none_of(exchanges, [&](const propose::Exchange *exchange) {
          return propose::isAnswered(chosen, exchange->reply.text);
        })) {
      return make_error<CorruptRun>(branch.id,
                                    ": no answer recorded for " + reply->slot + " holds what it was made of");
    }
    graph::GraphCompiler &wary = branch.expansion < 0 && this->options.foreign ? *this->options.foreign : compiler;
    if (!chosen.cuda.empty())
      return wary.wrapSource(run.getGraph(), chosen.cuda, chosen.plan, chip);
    return wary.lowerWithDirectives(run.getGraph(), chosen.directives, branch.idea.text,
                                    ideas::categoryName(branch.idea.category), chip);
  }

  /// The best branch is one that was measured and passed.
  Error checkBest() const {
    if (run.getBest().empty())
      return Error::success();
    const BranchRecord *best = run.findBranch(run.getBest());
    Json measurement = best ? Json::parse(best->measurement, nullptr, /*allow_exceptions=*/false) : Json();
    if (!measurement.is_object() || measurement.value("verdict", "") != "PASS")
      return make_error<CorruptRun>(run.getPath(),
                                    " calls " + run.getBest() + " its best, which is no branch that passed");
    return Error::success();
  }

  /// That BRANCH is derived differently from what was recorded. With `recorded` it is counted and is no error, where
  /// the code generator may be the reason.
  Error differs(const BranchRecord &branch, const Twine &how) {
    std::string now = compiler.getGenerator();
    bool isOther = branch.generator.empty() || branch.generator != now;
    if (options.recorded && isOther) {
      summary.recordedOnly.push_back(branch.id);
      return Error::success();
    }
    auto name = [](StringRef version) {
      return version.empty() ? std::string("an unknown code generator")
                             : "code generator " + version.take_front(12).str();
    };
    std::string why;
    if (isOther)
      why = "; the run was written by " + name(branch.generator) + ", this is " + name(now) +
            ": `kgen-search replay --recorded` holds such branches to the journal's digests";
    return createStringError(how + why);
  }

  /// Reads FILE, which must be what was recorded: a text with HASH. KNOWN is that text, or what may be it.
  Expected<std::string> readRecorded(const std::string &file, StringRef hash, StringRef known) {
    auto text = fs.read(file);
    if (!text)
      return text.takeError();
    ++summary.files;
    if (propose::hashText(*text) == hash)
      return text;
    std::string how = propose::hashText(known) == hash
                          ? ", first at byte " + std::to_string(firstDifference(*text, known))
                          : ": its hash is not the journal's";
    return make_error<CorruptRun>(file, " differs from what was recorded" + how);
  }

  Error replayBranch(const BranchRecord &branch) {
    std::string directives, folder = (run.getPath() + "/" + branch.id + "/").str();
    auto lowered = derive(branch, directives);
    if (!lowered && lowered.errorIsA<CorruptRun>())
      return lowered.takeError();
    std::map<std::string, std::string> expected;
    expected["idea.md"] = printIdeaPage(branch);
    if (!directives.empty())
      expected["directives.mlir"] = directives;
    std::string refusal;
    if (lowered) {
      expected["annotated.mlir"] = lowered->annotated;
      expected["lowered.mlir"] = lowered->lowered;
      expected["plan.json"] = lowered->plan;
      expected["kernel.cu"] = lowered->cuda;
    } else {
      refusal = toString(lowered.takeError());
    }
    std::string difference; // the first
    for (const auto &[name, hash] : branch.files) {
      // PTX is the compiler's, two thirds of a run's bytes, and may be left out of an archive.
      if (name == "kernel.ptx" && !fs.exists(folder + name)) {
        ++summary.leftOut;
        continue;
      }
      std::string derived = expected.count(name) ? expected[name] : "";
      auto actual = readRecorded(folder + name, hash, derived);
      if (!actual)
        return actual.takeError();
      if (derived.empty() || *actual == derived)
        continue;
      std::string text = folder + name + " differs from what the replies give, first at byte " +
                         std::to_string(firstDifference(*actual, derived));
      if (!isGenerated(name))
        return createStringError(text);
      if (difference.empty())
        difference = text;
    }
    // A branch that was refused must be refused again: it has no files to compare.
    if (!refusal.empty() && branch.files.count("kernel.cu"))
      difference = branch.id + ": lowers no longer: " + refusal;
    else if (refusal.empty() && !branch.files.count("lowered.mlir"))
      difference = branch.id + ": was refused in the run and lowers now";
    auto measurement =
        readRecorded(folder + "measurement.json", propose::hashText(branch.measurement), branch.measurement);
    if (!measurement)
      return measurement.takeError();
    if (!difference.empty())
      return differs(branch, difference);
    ++summary.branches;
    return Error::success();
  }

  FileSystem &fs;
  const RunFolder &run;
  graph::GraphCompiler &compiler;
  const ReplayOptions &options;
  Chip chip;
  ReplaySummary summary;
};

} // namespace

Expected<ReplaySummary> replayRun(FileSystem &fs, const RunFolder &run, graph::GraphCompiler &compiler,
                                  const ReplayOptions &options) {
  return Replayer(fs, run, compiler, options).replay();
}

} // namespace kgen::trajectory
