//===- Replay.cpp ---------------------------------------------------------===//

#include "kgen/Trajectory/Replay.h"
#include "kgen/Propose/Proposer.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/ThreadPool.h"

#include <algorithm>

using namespace llvm;

namespace kgen {
namespace {

class Replayer {
public:
  Replayer(FileSystem &fs, const RunFolder &run, GraphCompiler &compiler) : fs(fs), run(run), compiler(compiler) {
    Json chipJson = run.getConfig().value("chip", Json::object());
    chip.arch = chipJson.value("arch", chip.arch);
    chip.sharedBytesPerBlock = chipJson.value("shared_bytes_per_block", chip.sharedBytesPerBlock);
    chip.multiprocessors = chipJson.value("multiprocessors", chip.multiprocessors);
  }

  Expected<ReplaySummary> replay(int jobs) {
    std::vector<const BranchRecord *> branches;
    for (const BranchRecord &branch : run.getBranches())
      if (!branch.measurement.empty()) // one in flight has no snapshot yet
        branches.push_back(&branch);
    std::vector<ReplaySummary> parts(branches.size());
    std::vector<std::string> faults(branches.size());
    auto derive = [&](size_t i) {
      if (Error error = Replayer(fs, run, compiler).replayBranch(*branches[i], parts[i]))
        faults[i] = toString(std::move(error));
    };
    // Round 0 first and alone: it is lowered in this process, and the others may be in children, which
    // must not be forked while a lock is held.
    size_t next = 0;
    while (next < branches.size() && (jobs == 1 || branches[next]->round == 0) && faults[next ? next - 1 : 0].empty())
      derive(next++);
    if (jobs > 1) {
      DefaultThreadPool workers(hardware_concurrency(jobs));
      for (; next < branches.size(); ++next)
        workers.async([&derive, next] { derive(next); });
      workers.wait();
    }
    ReplaySummary summary;
    for (size_t i = 0; i < branches.size(); ++i) {
      if (!faults[i].empty())
        return createStringError(faults[i]);
      summary.branches += parts[i].branches;
      summary.files += parts[i].files;
      summary.leftOut += parts[i].leftOut;
    }
    return summary;
  }

private:
  /// Compares the file with the text that it must hold.
  Error compare(const std::string &file, StringRef expected) {
    auto actual = fs.read(file);
    if (!actual)
      return actual.takeError();
    ++summary.files;
    if (*actual == expected)
      return Error::success();
    size_t common = std::min(actual->size(), expected.size());
    size_t offset = std::mismatch(actual->begin(), actual->begin() + common, expected.begin()).first - actual->begin();
    return createStringError(Twine(file) + " differs from what the replies give, first at byte " + Twine(offset));
  }

  Expected<LoweredGraph> derive(const BranchRecord &branch, std::string &directives) {
    if (branch.reply.empty())
      return compiler.lowerGeneric(run.getGraph(), chip);
    const ReplyRecord *reply = run.findReplyByHash(branch.reply);
    if (!reply)
      return createStringError(Twine(branch.id) + ": its reply " + branch.reply + " is not in the run");
    auto options = parseMaterializations(reply->reply);
    if (!options)
      return options.takeError();
    if (branch.option < 0 || size_t(branch.option) >= options->size())
      return createStringError(Twine(branch.id) + ": reply " + branch.reply + " has no option " + Twine(branch.option));
    const Materialization &chosen = (*options)[branch.option];
    directives = chosen.directives;
    if (!chosen.problem.empty())
      return createStringError(chosen.problem);
    if (!chosen.cuda.empty())
      return compiler.wrapSource(run.getGraph(), chosen.cuda, chosen.plan, chip);
    return compiler.lowerWithDirectives(run.getGraph(), chosen.directives, branch.idea.text,
                                        categoryName(branch.idea.category), chip);
  }

  Error replayBranch(const BranchRecord &branch, ReplaySummary &result) {
    Error error = replayBranch(branch);
    result = summary;
    return error;
  }

  Error replayBranch(const BranchRecord &branch) {
    std::string directives;
    auto lowered = derive(branch, directives);
    std::map<std::string, std::string> expected;
    expected["idea.md"] = printIdeaPage(branch);
    if (!directives.empty())
      expected["directives.mlir"] = directives;
    if (lowered) {
      expected["annotated.mlir"] = lowered->annotated;
      expected["lowered.mlir"] = lowered->lowered;
      expected["plan.json"] = lowered->plan;
      expected["kernel.cu"] = lowered->cuda;
    } else {
      // A branch that was refused must be refused again: it has no files to compare.
      std::string message = toString(lowered.takeError());
      if (branch.files.count("kernel.cu"))
        return createStringError(Twine(branch.id) + ": lowers no longer: " + message);
    }
    ++summary.branches;
    std::string folder = (run.getPath() + "/" + branch.id + "/").str();
    for (const auto &[name, hash] : branch.files) {
      auto it = expected.find(name);
      if (it != expected.end()) {
        if (it->second.empty())
          continue;
        if (Error error = compare(folder + name, it->second))
          return error;
        continue;
      }
      // PTX is the compiler's, two thirds of a run's bytes, and may be left out of an archive.
      if (name == "kernel.ptx" && !fs.exists(folder + name)) {
        ++summary.leftOut;
        continue;
      }
      auto text = fs.read(folder + name);
      if (!text)
        return text.takeError();
      ++summary.files;
      if (hashText(*text) != hash)
        return createStringError(Twine(folder) + name +
                                 " differs from what was recorded: its hash is not the journal's");
    }
    if (lowered && !branch.files.count("lowered.mlir"))
      return createStringError(Twine(branch.id) + ": was refused in the run and lowers now");
    return compare(folder + "measurement.json", branch.measurement);
  }

  FileSystem &fs;
  const RunFolder &run;
  GraphCompiler &compiler;
  TargetChip chip;
  ReplaySummary summary;
};

} // namespace

Expected<ReplaySummary> replayRun(FileSystem &fs, const RunFolder &run, GraphCompiler &compiler, int jobs) {
  return Replayer(fs, run, compiler).replay(jobs);
}

} // namespace kgen
