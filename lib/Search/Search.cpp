//===- Search.cpp ---------------------------------------------------------===//

#include "kgen/Search/Search.h"

#include "kgen/Evaluate/LaunchPlan.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/ThreadPool.h"

#include <future>

using namespace llvm;

namespace kgen {
namespace {

constexpr StringLiteral genericText = "Every op by the generic path: correct, coalesced, no directives.";

/// A branch of the current round on its way.
struct Candidate {
  BranchRecord record;
  Materialization materialization;
  size_t seed = 0;      ///< which expansion of the round it comes from
  bool ready = false;   ///< has a snapshot and waits for its measurement
  bool refused = false; ///< there is no code: the compiler said why
  std::shared_future<void> compiled;
};

class Search {
public:
  Search(const SearchEnvironment &env, RunFolder &run, const SearchConfig &config)
      : env(env), run(run), config(config), workers(hardware_concurrency(std::max(1, config.compileJobs))) {}

  Error execute() {
    startSeconds = env.clock.seconds();
    Error error = executeRounds();
    if (Error unsaved = run.commit()) {
      if (error)
        consumeError(std::move(unsaved));
      else
        error = std::move(unsaved);
    }
    // A process that died between a measurement and the link left the link behind.
    if (!error && !bestId.empty())
      error = run.recordBest(bestId);
    std::string reason = error ? "error" : stopReason;
    // Of two errors the first one says what happened.
    Error recorded = run.recordStop(reason, env.clock.seconds() - startSeconds);
    env.progress.finished();
    if (error) {
      consumeError(std::move(recorded));
      return error;
    }
    return recorded;
  }

private:
  Error executeRounds();
  Error expandRound(int round, const std::vector<Expansion> &expansions, std::vector<Candidate> &candidates);
  Error expandSeed(int round, size_t seed, const std::string &slot, const Expansion &expansion,
                   std::vector<Candidate> &candidates);
  Error lowerRound(int round, const std::vector<Expansion> &expansions, std::vector<Candidate> &candidates);
  Error lowerFrom(size_t first, std::vector<Candidate> &candidates);
  Error measureRound(std::vector<Candidate> &candidates);
  Error lower(Candidate &candidate);
  Error measure(Candidate &candidate);
  Error timeBaselines();
  std::string findPlanFault(const std::string &plan);
  Error finish(const Candidate &candidate, Measurement measurement, StringRef duplicateOf = "");
  void announce(const BranchRecord &branch, const Measurement &measurement, StringRef sameAs, bool isBest);
  Error record(const ReplyRecord &reply);
  Expected<std::vector<Idea>> askIdeas(const ProposalContext &context, int n);
  Expected<std::vector<Materialization>> askMaterializations(const ProposalContext &context, const Idea &idea, int n);
  ProposalContext makeContext(const std::string &slot, const BranchRecord &parent,
                              const std::vector<Candidate> &planned);

  std::string folderOf(StringRef id) const { return (run.getPath() + "/" + id).str(); }
  bool shouldStop() {
    if (env.stop)
      stopReason = "interrupted";
    else if (config.maxMinutes > 0 && env.clock.seconds() - startSeconds > config.maxMinutes * 60)
      stopReason = "time is up";
    else
      return false;
    return true;
  }

  const SearchEnvironment &env;
  RunFolder &run;
  const SearchConfig &config;
  DefaultThreadPool workers;
  GraphFacts facts;
  double startSeconds = 0;
  std::string stopReason = "done";
  int branchesLeft = 0;
  std::map<std::string, Measurement> measured; ///< by branch id
  StringMap<std::string> firstWithCode;        ///< hash of code -> branch id
  double genericUs = 0, bestUs = 0;
  std::string bestId;
  int machineryErrors = 0; ///< in a row
};

std::string codeHash(const BranchRecord &branch) {
  auto cuda = branch.files.find("kernel.cu"), plan = branch.files.find("plan.json");
  if (cuda == branch.files.end() || plan == branch.files.end())
    return "";
  return cuda->second + plan->second;
}

Measurement rejected(Verdict verdict, std::string detail, const SearchConfig &config) {
  Measurement measurement;
  measurement.verdict = verdict;
  measurement.detail = std::move(detail);
  measurement.device = config.device;
  measurement.precision = config.precision;
  return measurement;
}

Error Search::executeRounds() {
  auto expectedFacts = env.compiler.facts(run.getGraph());
  if (!expectedFacts)
    return expectedFacts.takeError();
  facts = std::move(*expectedFacts);
  auto policy = createPolicy(config.policy, config.options);
  if (!policy)
    return policy.takeError();

  int rounds = (*policy)->getRounds();
  for (int round = 0; round <= rounds; ++round) {
    std::vector<Candidate> candidates;
    std::vector<Expansion> expansions;
    branchesLeft = 0;
    for (int later = round + 1; later <= rounds; ++later)
      branchesLeft += (*policy)->getBranchesInRound(later);
    if (round == 0) {
      Candidate generic;
      generic.record.id = branchId(0, 0);
      generic.record.idea = {"generic", genericText.str(), IdeaCategory::Control};
      candidates.push_back(std::move(generic));
    } else {
      if (shouldStop())
        return Error::success();
      std::vector<Outcome> outcomes;
      for (const BranchRecord &branch : run.getBranches()) {
        auto it = measured.find(branch.id);
        if (it != measured.end())
          outcomes.push_back(
              {branch.id, branch.parent, branch.round, it->second.passed(), it->second.timeUs, codeHash(branch)});
      }
      run.beginBatch();
      expansions = (*policy)->expand(round, outcomes);
      if (Error error = expandRound(round, expansions, candidates))
        return error;
      if (candidates.empty()) {
        if (Error error = run.commit())
          return error;
        stopReason = shouldStop() ? stopReason : "no ideas left";
        return Error::success();
      }
    }
    branchesLeft += candidates.size();
    env.progress.beginRound(round, rounds, candidates.size());
    if (round == 0)
      if (Error error = timeBaselines())
        return error;
    if (Error error = lowerRound(round, expansions, candidates))
      return error;
    if (Error error = run.commit())
      return error;
    if (Error error = measureRound(candidates))
      return error;
    if (round == 0 && !measured[branchId(0, 0)].passed() && stopReason == "done") {
      const Measurement &generic = measured[branchId(0, 0)];
      return createStringError("round 0 is not right: " + verdictName(generic.verdict) + ": " + generic.detail);
    }
    if (stopReason != "done")
      return Error::success();
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Asking
//===----------------------------------------------------------------------===//

Error Search::record(const ReplyRecord &reply) {
  if (Error error = run.recordReply(reply))
    return error;
  // A model's answer cost time and money: it does not wait for the round's batch.
  if (!StringRef(config.llm).starts_with("chat:"))
    return Error::success();
  if (Error error = run.commit())
    return error;
  run.beginBatch();
  return Error::success();
}

Expected<std::vector<Idea>> Search::askIdeas(const ProposalContext &context, int n) {
  std::string slot = context.slot + "/ideas";
  if (const ReplyRecord *known = run.findReply(slot))
    return parseIdeas(known->reply);
  env.progress.activity("asking for ideas: " + context.slot);
  auto ideas = env.proposer.proposeIdeas(context, n);
  if (!ideas)
    return ideas.takeError();
  if (int(ideas->size()) > n)
    ideas->resize(n);
  if (Error error = record({slot, printRequest(context, "ideas", nullptr, n), printIdeas(*ideas)}))
    return std::move(error);
  return ideas;
}

Expected<std::vector<Materialization>> Search::askMaterializations(const ProposalContext &context, const Idea &idea,
                                                                   int n) {
  if (const ReplyRecord *known = run.findReply(context.slot))
    return parseMaterializations(known->reply);
  env.progress.activity("asking how: " + idea.key);
  auto list = env.proposer.materialize(context, idea, n);
  if (!list)
    return list.takeError();
  if (int(list->size()) > n)
    list->resize(n);
  if (Error error =
          record({context.slot, printRequest(context, "materialize", &idea, n), printMaterializations(*list)}))
    return std::move(error);
  return list;
}

ProposalContext Search::makeContext(const std::string &slot, const BranchRecord &parent,
                                    const std::vector<Candidate> &planned) {
  ProposalContext context;
  context.slot = slot;
  context.facts = facts;
  context.graph = run.getGraph().str();
  context.chip = config.chip;
  context.device = config.device == "host" ? "host" : "cuda";
  context.precision = config.precision;
  context.genericUs = genericUs;
  context.seed = config.seed;
  const Measurement &measurement = measured[parent.id];
  context.floorUs = measurement.floorUs;
  context.parent.id = parent.id;
  context.parent.label = parent.label;
  context.parent.notes = parent.notes;
  context.parent.measurement = parent.measurement;
  context.parent.diagnosis = measurement.diagnosis;
  context.parent.timeUs = measurement.timeUs;
  auto readIfThere = [&](const char *name) -> std::string {
    if (!parent.files.count(name))
      return "";
    auto text = run.readFile(parent.id, name);
    if (text)
      return *text;
    consumeError(text.takeError());
    return "";
  };
  context.parent.directives = readIfThere("directives.mlir");
  context.parent.cuda = readIfThere("kernel.cu");
  auto add = [&](const BranchRecord &branch, const Measurement *result) {
    TriedBranch tried;
    tried.id = branch.id;
    tried.parent = branch.parent;
    tried.idea = branch.idea;
    tried.label = branch.label;
    tried.notes = branch.notes;
    tried.verdict = result ? verdictName(result->verdict).str() : "PENDING";
    if (result) {
      tried.detail = result->detail;
      tried.timeUs = result->passed() ? result->timeUs : 0;
    }
    context.history.push_back(std::move(tried));
  };
  // Of this round only what the compiler refused: a sibling's time must not depend on who finished
  // first, or on how far an earlier process came.
  for (const BranchRecord &branch : run.getBranches()) {
    bool isPlanned = any_of(planned, [&](const Candidate &c) { return c.record.id == branch.id; });
    auto it = measured.find(branch.id);
    if (!isPlanned && it != measured.end())
      add(branch, &it->second);
  }
  for (const Candidate &candidate : planned) {
    auto it = measured.find(candidate.record.id);
    add(candidate.record, candidate.refused && it != measured.end() ? &it->second : nullptr);
  }
  return context;
}

Error Search::expandRound(int round, const std::vector<Expansion> &expansions, std::vector<Candidate> &candidates) {
  for (size_t seed = 0; seed < expansions.size(); ++seed)
    if (Error error = expandSeed(round, seed, "", expansions[seed], candidates))
      return error;
  return Error::success();
}

/// Adds the candidates of one parent. SLOT tells several questions about the same parent apart.
Error Search::expandSeed(int round, size_t seed, const std::string &slot, const Expansion &expansion,
                         std::vector<Candidate> &candidates) {
  const BranchRecord *found = run.findBranch(expansion.parent);
  if (!found)
    return createStringError("policy names branch " + expansion.parent + ", which the run does not have");
  BranchRecord parent = *found;
  std::string seedSlot = StringRef(branchId(round, 0)).split('/').first.str() + "/seed-" + std::to_string(seed) + slot;
  if (shouldStop())
    return Error::success();
  auto ideas = askIdeas(makeContext(seedSlot, parent, candidates), expansion.ideas);
  if (!ideas)
    return ideas.takeError();
  for (auto [ideaIndex, idea] : enumerate(*ideas)) {
    ProposalContext context = makeContext(seedSlot + "/idea-" + std::to_string(ideaIndex), parent, candidates);
    auto list = askMaterializations(context, idea, expansion.variants);
    if (!list)
      return list.takeError();
    std::string hash = hashText(run.findReply(context.slot)->request);
    for (auto [option, materialization] : enumerate(*list)) {
      Candidate candidate;
      candidate.seed = seed;
      candidate.record.id = branchId(round, candidates.size());
      candidate.record.parent = parent.id;
      candidate.record.round = round;
      candidate.record.idea = idea;
      candidate.record.label = materialization.label;
      candidate.record.notes = materialization.notes;
      candidate.record.reply = hash;
      candidate.record.option = option;
      candidate.materialization = materialization;
      candidates.push_back(std::move(candidate));
    }
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Doing
//===----------------------------------------------------------------------===//

/// Writes CANDIDATE's snapshot, or its verdict when it has none.
Error Search::lower(Candidate &candidate) {
  BranchRecord &record = candidate.record;
  const Materialization &chosen = candidate.materialization;
  if (Error error = run.beginBranch(record))
    return error;
  if (!chosen.problem.empty()) {
    if (Error error = run.writeFiles(record.id, {{"idea.md", printIdeaPage(record)}}))
      return error;
    candidate.refused = true;
    return finish(candidate, rejected(Verdict::BadReply, chosen.problem, config));
  }
  StringRef category = categoryName(record.idea.category);
  Expected<LoweredGraph> lowered = record.round == 0 ? env.compiler.lowerGeneric(run.getGraph(), config.chip)
                                   : !chosen.cuda.empty()
                                       ? env.compiler.wrapSource(run.getGraph(), chosen.cuda, chosen.plan, config.chip)
                                       : env.compiler.lowerWithDirectives(run.getGraph(), chosen.directives,
                                                                          record.idea.text, category, config.chip);
  std::map<std::string, std::string> files;
  files["idea.md"] = printIdeaPage(record);
  if (!chosen.directives.empty())
    files["directives.mlir"] = chosen.directives;
  std::string refusal;
  if (lowered) {
    if (!lowered->annotated.empty())
      files["annotated.mlir"] = lowered->annotated;
    files["lowered.mlir"] = lowered->lowered;
    files["plan.json"] = lowered->plan;
    files["kernel.cu"] = lowered->cuda;
    if (!chosen.cuda.empty())
      refusal = findPlanFault(lowered->plan);
    if (!refusal.empty())
      files.erase("kernel.cu"); // a branch without it has no code to measure, compare or start from
  } else {
    refusal = toString(lowered.takeError());
  }
  if (Error error = run.writeFiles(record.id, files))
    return error;
  record.files = run.findBranch(record.id)->files;
  candidate.refused = !refusal.empty();
  if (!refusal.empty())
    return finish(candidate, rejected(Verdict::Reject, refusal, config));
  auto [first, isNew] = firstWithCode.try_emplace(codeHash(record), record.id);
  if (!isNew && first->second != record.id && measured.count(first->second))
    return finish(candidate, measured[first->second], first->second);
  candidate.ready = true;
  return Error::success();
}

/// Records MEASUREMENT and tells the world.
Error Search::finish(const Candidate &candidate, Measurement measurement, StringRef duplicateOf) {
  const BranchRecord &record = candidate.record;
  if (run.getBaselines())
    measurement.baselines.insert(run.getBaselines()->begin(), run.getBaselines()->end());
  if (Error error = run.recordMeasurement(record.id, measurement.print(), duplicateOf, {"compile.log", "kernel.ptx"}))
    return error;
  measured[record.id] = measurement;
  bool isBest = measurement.passed() && duplicateOf.empty() && (bestUs == 0 || measurement.timeUs < bestUs);
  if (isBest) {
    bestUs = measurement.timeUs;
    bestId = record.id;
  }
  if (record.round == 0)
    genericUs = measurement.timeUs;
  if (isBest)
    if (Error error = run.recordBest(record.id))
      return error;
  --branchesLeft;
  announce(record, measurement, duplicateOf, isBest);
  return Error::success();
}

void Search::announce(const BranchRecord &branch, const Measurement &measurement, StringRef sameAs, bool isBest) {
  BranchNews news;
  news.id = branch.id;
  news.idea = branch.idea.text;
  news.settings = branch.label;
  news.verdict = verdictName(measurement.verdict).str();
  news.detail = measurement.detail;
  news.sameAs = sameAs.str();
  news.timeUs = measurement.passed() ? measurement.timeUs : 0;
  news.genericUs = genericUs;
  auto eager = measurement.baselines.find("eager");
  news.eagerUs = eager == measurement.baselines.end() ? 0 : eager->second;
  news.floorUs = measurement.floorUs;
  news.isBest = isBest;
  env.progress.branchDone(news, branchesLeft);
}

Error Search::measure(Candidate &candidate) {
  const BranchRecord &record = candidate.record;
  // A sibling may have had the same code.
  auto first = firstWithCode.find(codeHash(record));
  if (first != firstWithCode.end() && first->second != record.id && measured.count(first->second))
    return finish(candidate, measured[first->second], first->second);
  env.progress.activity("measuring " + record.id);
  auto measurement = env.evaluator.evaluate(
      {folderOf(record.id), (run.getPath() + "/graph.mlir").str(), facts.flops, config.precision});
  if (!measurement) {
    // One candidate that cannot be measured is its own fault as long as others can.
    if (record.round == 0 || env.stop || ++machineryErrors == 3)
      return measurement.takeError();
    return finish(candidate,
                  rejected(Verdict::Reject, "could not be measured: " + toString(measurement.takeError()), config));
  }
  machineryErrors = 0;
  return finish(candidate, std::move(*measurement));
}

/// PyTorch's times, once per run and before round 0 is recorded, so that every measurement has them.
Error Search::timeBaselines() {
  if (run.getBaselines() || config.pytorch.empty() || config.device == "host")
    return Error::success();
  env.progress.activity("timing PyTorch on the same problem");
  std::string note;
  std::map<std::string, double> times = env.evaluator.timeBaselines(config.pytorch, note);
  if (!note.empty())
    env.progress.note("baselines: " + note);
  return run.recordBaselines(times, note);
}

/// A proposer's plan must be about the same problem as round 0's: the same buffers, drawn in the
/// same way, and the same precision class. Returns what differs, or "".
std::string Search::findPlanFault(const std::string &text) {
  auto generic = run.readFile(branchId(0, 0), "plan.json");
  if (!generic)
    return toString(generic.takeError());
  auto expected = LaunchPlan::parse(*generic);
  if (!expected)
    return toString(expected.takeError());
  auto plan = LaunchPlan::parse(text);
  if (!plan)
    return toString(plan.takeError());
  auto describe = [](const std::vector<BufferSpec> &buffers) {
    std::string words;
    for (const BufferSpec &buffer : buffers) {
      words += dtypeName(buffer.dtype).str() + "[";
      for (int64_t extent : buffer.shape)
        words += std::to_string(extent) + ",";
      words += "] " + buffer.init + "; ";
    }
    return words;
  };
  if (plan->precision != expected->precision)
    return "plan.json claims precision class " + plan->precision + ", expected " + expected->precision;
  if (describe(plan->inputs) != describe(expected->inputs))
    return "plan.json has inputs " + describe(plan->inputs) + "expected " + describe(expected->inputs);
  if (describe(plan->outputs) != describe(expected->outputs))
    return "plan.json has outputs " + describe(plan->outputs) + "expected " + describe(expected->outputs);
  return "";
}

/// Lowers every candidate of the round. What the compiler refuses costs nothing, so its place is
/// given to other ideas, which may know the refusals, twice at most.
Error Search::lowerRound(int round, const std::vector<Expansion> &expansions, std::vector<Candidate> &candidates) {
  constexpr int maxRefills = 2;
  for (int refill = 0;; ++refill) {
    size_t first = 0;
    for (; first < candidates.size() && (candidates[first].ready || measured.count(candidates[first].record.id));
         ++first)
      ;
    size_t lowered = first;
    if (Error error = lowerFrom(first, candidates))
      return error;
    if (refill == maxRefills || stopReason != "done")
      return Error::success();
    std::vector<int> refused(expansions.size());
    for (size_t i = lowered; i < candidates.size(); ++i)
      if (candidates[i].refused && candidates[i].seed < refused.size())
        ++refused[candidates[i].seed];
    size_t before = candidates.size();
    for (size_t seed = 0; seed < expansions.size(); ++seed) {
      if (refused[seed] == 0)
        continue;
      Expansion again = expansions[seed];
      again.ideas = (refused[seed] + again.variants - 1) / again.variants;
      if (Error error = expandSeed(round, seed, "/again-" + std::to_string(refill + 1), again, candidates))
        return error;
    }
    if (candidates.size() == before)
      return Error::success();
    branchesLeft += candidates.size() - before;
  }
}

Error Search::lowerFrom(size_t first, std::vector<Candidate> &candidates) {
  for (size_t i = first; i < candidates.size(); ++i) {
    Candidate &candidate = candidates[i];
    const BranchRecord *known = run.findBranch(candidate.record.id);
    if (known && !known->measurement.empty()) {
      // Done by an earlier process.
      auto measurement = Measurement::parse(known->measurement);
      if (!measurement)
        return measurement.takeError();
      measured[known->id] = *measurement;
      candidate.refused = !known->files.count("kernel.cu");
      if (std::string hash = codeHash(*known); !hash.empty())
        firstWithCode.try_emplace(hash, known->id);
      if (measurement->passed() && (bestUs == 0 || measurement->timeUs < bestUs)) {
        bestUs = measurement->timeUs;
        bestId = known->id;
      }
      if (known->round == 0)
        genericUs = measurement->timeUs;
      --branchesLeft;
      continue;
    }
    if (shouldStop())
      return Error::success();
    if (Error error = lower(candidate))
      return error;
  }
  return Error::success();
}

Error Search::measureRound(std::vector<Candidate> &candidates) {
  std::vector<Candidate *> ready;
  for (Candidate &candidate : candidates)
    if (candidate.ready)
      ready.push_back(&candidate);
  if (ready.empty())
    return Error::success();
  env.progress.activity("compiling " + std::to_string(ready.size()) + " candidates");
  for (Candidate *candidate : ready)
    if (firstWithCode[codeHash(candidate->record)] == candidate->record.id)
      candidate->compiled = workers.async([this, folder = folderOf(candidate->record.id)] {
        if (!env.stop)
          env.evaluator.prepare(folder);
      });
  // On the host a compile beside a measurement would be in its time.
  if (config.device == "host")
    workers.wait();
  Error result = Error::success();
  for (Candidate *candidate : ready) {
    if (shouldStop())
      break;
    if (candidate->compiled.valid())
      candidate->compiled.wait();
    if (shouldStop())
      break;
    if (Error error = measure(*candidate)) {
      if (shouldStop()) // the evaluator was cut short: this branch is the one that is lost
        consumeError(std::move(error));
      else
        result = std::move(error);
      break;
    }
  }
  workers.wait();
  return result;
}

} // namespace

Error runSearch(const SearchEnvironment &environment, RunFolder &run, const SearchConfig &config) {
  return Search(environment, run, config).execute();
}

} // namespace kgen
