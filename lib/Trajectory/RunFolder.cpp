//===- RunFolder.cpp ------------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Trajectory/RunFolder.h"
#include "kgen/Propose/Proposer.h"
#include "kgen/Trajectory/CorruptRun.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace kgen::trajectory {

namespace {
Json toJson(const BranchRecord &branch) {
  Json record = {{"event", "branch"},        {"id", branch.id},
                 {"parent", branch.parent},  {"round", branch.round},
                 {"key", branch.idea.key},   {"category", ideas::categoryName(branch.idea.category).str()},
                 {"idea", branch.idea.text}, {"label", branch.label},
                 {"notes", branch.notes},    {"reply", branch.reply},
                 {"option", branch.option},  {"expansion", branch.expansion}};
  if (!branch.idea.by.empty())
    record["by"] = branch.idea.by;
  if (!branch.repairs.empty())
    record["repairs"] = branch.repairs;
  if (branch.priorUs > 0)
    record["prior_us"] = branch.priorUs;
  return record;
}

/// Whether ID is a branch's, round-NN/bNN. It is a folder too: another one would lie outside of the run.
bool isBranchId(StringRef id) {
  auto number = [](StringRef digits) { return !digits.empty() && digits.size() < 10 && all_of(digits, isDigit); };
  auto [round, branch] = id.split('/');
  return round.consume_front("round-") && number(round) && branch.consume_front("b") && number(branch);
}

/// Whether NAME is a file's, without a folder.
bool isFileName(StringRef name) { return !name.empty() && name[0] != '.' && !name.contains('/'); }

BranchRecord branchFromJson(const Json &record) {
  BranchRecord branch;
  branch.id = record.at("id");
  branch.parent = record.at("parent");
  branch.round = record.at("round");
  branch.idea.key = record.at("key");
  branch.idea.text = record.at("idea");
  branch.idea.category =
      ideas::parseIdeaCategory(record.at("category").get<std::string>()).value_or(ideas::IdeaCategory::Compute);
  branch.label = record.at("label");
  branch.notes = record.at("notes");
  branch.reply = record.at("reply");
  branch.option = record.at("option");
  branch.expansion = record.value("expansion", 0);
  branch.idea.by = record.value("by", "");
  branch.repairs = record.value("repairs", "");
  branch.priorUs = record.value("prior_us", 0.0);
  return branch;
}

Error notARun(StringRef path) { return createStringError(Twine(path) + " is not a run folder: it has no run.json"); }
} // namespace

std::string branchId(int round, int index) {
  std::string id;
  raw_string_ostream(id) << format("round-%02d/b%02d", round, index);
  return id;
}

std::string printIdeaPage(const BranchRecord &branch) {
  std::string page = "# " + branch.id + "\n\n" + branch.idea.text + "\n\n";
  page += "- category: " + ideas::categoryName(branch.idea.category).str() + "\n";
  page += "- idea: " + branch.idea.key + "\n";
  if (!branch.label.empty())
    page += "- settings: " + branch.label + "\n";
  if (!branch.idea.by.empty())
    page += "- by: " + branch.idea.by + "\n";
  if (!branch.repairs.empty())
    page += "- mends: " + branch.repairs + "\n";
  page += "- parent: " + (branch.parent.empty() ? std::string("none") : branch.parent) + "\n";
  return page;
}

//===----------------------------------------------------------------------===//
// Opening
//===----------------------------------------------------------------------===//

Expected<std::unique_ptr<RunFolder>> RunFolder::create(FileSystem &fs, Clock &clock, StringRef path, const Json &config,
                                                       StringRef graph) {
  std::unique_ptr<RunFolder> run(new RunFolder(fs, clock, path));
  if (fs.exists(run->at("run.json")))
    return createStringError(Twine(path) + " already holds a run; go on with it by `kgen-search resume " + path +
                             "`, or choose another --out");
  if (Error error = fs.createFolders(path))
    return std::move(error);
  auto lock = fs.lock(run->at("lock"));
  if (!lock)
    return lock.takeError();
  run->lock = std::move(*lock);
  run->config = config;
  run->graph = graph.str();
  // What a process that died right here left behind.
  run->removeTemporaries();
  // run.json last: a folder without it is not a run yet, so a crash here leaves nothing to resume.
  if (Error error = fs.writeAtomic(run->at("graph.mlir"), graph))
    return std::move(error);
  JournalContents contents;
  auto journal = Journal::open(fs, run->at("journal.jsonl"), contents);
  if (!journal)
    return journal.takeError();
  run->journal = std::move(*journal);
  std::string configText = config.dump(2) + "\n";
  if (contents.records.empty())
    if (Error error = run->append(
            {{"event", "run"}, {"graph", propose::hashText(graph)}, {"config", propose::hashText(configText)}}))
      return std::move(error);
  if (Error error = fs.writeAtomic(run->at("run.json"), configText))
    return std::move(error);
  return run;
}

Expected<std::unique_ptr<RunFolder>> RunFolder::open(FileSystem &fs, Clock &clock, StringRef path) {
  std::unique_ptr<RunFolder> run(new RunFolder(fs, clock, path));
  if (!fs.exists(run->at("run.json")))
    return notARun(path);
  auto lock = fs.lock(run->at("lock"));
  if (!lock)
    return lock.takeError();
  run->lock = std::move(*lock);
  JournalContents contents;
  auto journal = Journal::open(fs, run->at("journal.jsonl"), contents);
  if (!journal)
    return journal.takeError();
  run->journal = std::move(*journal);
  if (Error error = run->load(contents))
    return std::move(error);
  run->torn = contents.torn;
  run->removeTemporaries();
  if (Error error = run->healMeasurements())
    return std::move(error);
  return run;
}

Expected<std::unique_ptr<RunFolder>> RunFolder::openForReading(FileSystem &fs, Clock &clock, StringRef path) {
  std::unique_ptr<RunFolder> run(new RunFolder(fs, clock, path));
  if (!fs.exists(run->at("run.json")))
    return notARun(path);
  auto text = fs.read(run->at("journal.jsonl"));
  if (!text)
    return text.takeError();
  auto contents = parseJournal(*text, run->at("journal.jsonl"));
  if (!contents)
    return contents.takeError();
  if (Error error = run->load(*contents))
    return std::move(error);
  return run;
}

Error RunFolder::load(const JournalContents &contents) {
  auto configText = fs.read(at("run.json"));
  if (!configText)
    return configText.takeError();
  auto graphText = fs.read(at("graph.mlir"));
  if (!graphText)
    return graphText.takeError();
  if (contents.records.empty() || contents.records.front().at("event") != "run")
    return createStringError(Twine(at("journal.jsonl")) + " does not start with the run's record");
  const Json &head = contents.records.front();
  if (auto it = head.find("config"); it == head.end() || *it != propose::hashText(*configText))
    return make_error<CorruptRun>(at("run.json"), " is corrupt: its hash differs from the journal's");
  if (auto it = head.find("graph"); it == head.end() || *it != propose::hashText(*graphText))
    return make_error<CorruptRun>(at("graph.mlir"), " is corrupt: its hash differs from the journal's");
  config = parseStoredJson(*configText);
  graph = std::move(*graphText);
  countTime(head);
  for (const Json &record : drop_begin(contents.records)) {
    countTime(record);
    if (Error error = applyRecord(record))
      return error;
  }
  return Error::success();
}

Error RunFolder::applyRecord(const Json &record) {
  try {
    std::string event = record.at("event");
    auto branchOf = [&](const Json &id) -> BranchRecord * {
      for (BranchRecord &branch : branches)
        if (branch.id == id.get<std::string>())
          return &branch;
      return nullptr;
    };
    // Somebody else may have written this run: what names a file must name one of the run.
    std::string id = record.value("id", ""), request = record.value("request", "x");
    if (!id.empty() && !isBranchId(id))
      return createStringError(Twine(at("journal.jsonl")) + " names a branch '" + StringRef(id).take_front(80) +
                               "', expected round-NN/bNN");
    bool within = isFileName(request);
    if (auto files = record.find("files"); files != record.end())
      for (auto &entry : files->items())
        within &= isFileName(entry.key());
    if (!within)
      return createStringError(Twine(at("journal.jsonl")) + " names a file that is not in the run");
    if (!id.empty() && event != "branch" && !findBranch(id))
      return make_error<CorruptRun>(at("journal.jsonl"), " tells of " + id + ", a branch that it does not begin");
    if (event == "branch") {
      BranchRecord branch = branchFromJson(record);
      if (BranchRecord *known = branchOf(record.at("id")))
        *known = std::move(branch);
      else
        branches.push_back(std::move(branch));
      rounds.try_emplace(branches.back().round); // an older version did not record them
    } else if (event == "round") {
      auto &given = rounds[record.at("round")];
      for (const Json &entry : record.at("given")) {
        auto parsed = HandWritten::fromJson(entry);
        if (!parsed)
          return createStringError(Twine(at("journal.jsonl")) + ": " + toString(parsed.takeError()));
        given.push_back(std::move(*parsed));
      }
    } else if (event == "files") {
      if (BranchRecord *branch = branchOf(record.at("id"))) {
        for (auto &entry : record.at("files").items())
          branch->files[entry.key()] = entry.value();
        branch->generator = generator;
      }
    } else if (event == "measurement") {
      if (BranchRecord *branch = branchOf(record.at("id"))) {
        branch->measurement = record.at("text");
        if (!parseStoredJson(branch->measurement).is_object())
          return make_error<CorruptRun>(at("journal.jsonl"), " holds a measurement of " + branch->id + " that is none");
        branch->duplicateOf = record.value("duplicate_of", "");
        std::string standing = record.value("standing", "");
        if (standing != "checked") // that is no time at which it became the best
          branch->doneAt = getSecondsSpent();
        // Both times count, where there are two.
        branch->deviceSeconds += record.value("device_seconds", 0.0);
        branch->standing = standing == "provisional"   ? Standing::Provisional
                           : standing == "timed again" ? Standing::TimedAgain
                           : standing == "checked"     ? Standing::Checked
                                                       : Standing::Final;
        if (auto refusal = record.find("refusal"); refusal != record.end())
          branch->refusal = refusalFromJson(*refusal);
        if (record.contains("files"))
          for (auto &entry : record.at("files").items())
            branch->files[entry.key()] = entry.value();
      }
    } else if (event == "passed over") {
      for (const Json &passed : record.at("ids"))
        if (BranchRecord *branch = branchOf(passed); branch && branch->standing == Standing::Provisional)
          branch->standing = Standing::PassedOver;
    } else if (event == "turn") {
      turns.push_back({record.at("round"), record.at("task"), record.value("partition", false), branches.size(),
                       record.value("batch", -1)});
    } else if (event == "baselines") {
      baselines = record.at("times").get<std::map<std::string, double>>();
      hasBaselines = true;
    } else if (event == "best") {
      best = record.at("id");
    } else if (event == "stop") {
      stopReason = parseStopReason(record.at("reason").get<std::string>());
      if (std::string seed = record.value("seed", ""); !seed.empty())
        seeds.push_back(seed);
      for (const Json &seed : record.value("seeds", Json::array()))
        seeds.push_back(seed);
    } else if (event == "start") {
      stopReason.reset();
      generator = record.value("generator", "");
    } else if (event == "reply") {
      std::string hash = record.at("request");
      std::string file = at("replies/" + hash + ".json");
      auto text = fs.read(file);
      if (!text)
        return text.takeError();
      if (propose::hashText(*text) != record.at("sha").get<std::string>())
        return make_error<CorruptRun>(file, " is corrupt: its hash differs from the journal's");
      Json stored = parseStoredJson(*text);
      std::string slot = stored.at("slot");
      countCosts(record);
      replies[slot] = {hash, ReplyRecord{slot, stored.at("request").dump(), stored.at("reply").dump()}};
    }
    if (event == "costs")
      countCosts(record);
    if (event == "exchange")
      return applyExchange(record);
    // Any other event is one of a later version: what it says can be left out.
    return Error::success();
  } catch (const Json::exception &e) {
    return createStringError(Twine(at("journal.jsonl")) + " holds a record that cannot be read: " + e.what());
  }
}

//===----------------------------------------------------------------------===//
// Reading and recording
//===----------------------------------------------------------------------===//

const BranchRecord *RunFolder::findBranch(StringRef id) const {
  for (const BranchRecord &branch : branches)
    if (branch.id == id)
      return &branch;
  return nullptr;
}

const ReplyRecord *RunFolder::findReply(StringRef slot) const {
  auto it = replies.find(slot.str());
  return it == replies.end() ? nullptr : &it->second.second;
}

const ReplyRecord *RunFolder::findReplyByHash(StringRef hash) const {
  for (const auto &entry : replies)
    if (entry.second.first == hash)
      return &entry.second.second;
  return nullptr;
}

/// Adds up sittings: from a start to its stop, which knows the seconds, or to the last record of a
/// process that was killed.
void RunFolder::countTime(const Json &record) {
  // The journal's bytes were checked, but an older version may have written them.
  double time = lastTime;
  if (auto it = record.find("time"); it != record.end() && it->is_number())
    time = it->get<double>();
  std::string event = record.value("event", "");
  if (event == "start" && sitting) {
    secondsBefore += lastTime - sittingStart;
    sitting = false;
  }
  if (!sitting) {
    sitting = true;
    sittingStart = time;
  }
  lastTime = std::max(sittingStart, time); // a clock that was set back counts as standing still
  if (event == "stop") {
    auto it = record.find("seconds");
    secondsBefore += it != record.end() && it->is_number() ? it->get<double>() : lastTime - sittingStart;
    sitting = false;
  }
}

const std::vector<HandWritten> *RunFolder::findRound(int round) const {
  auto it = rounds.find(round);
  return it == rounds.end() ? nullptr : &it->second;
}

Error RunFolder::recordRound(int round, std::vector<HandWritten> given) {
  Json list = Json::array();
  for (const HandWritten &entry : given)
    list.push_back(entry.toJson());
  if (Error error = append({{"event", "round"}, {"round", round}, {"given", std::move(list)}}))
    return error;
  rounds[round] = std::move(given);
  return Error::success();
}

Error RunFolder::append(Json record) {
  record["time"] = clock.wallSeconds();
  countTime(record);
  if (!batching)
    return journal->append(record);
  pending.push_back(std::move(record));
  return Error::success();
}

Error RunFolder::commit() {
  batching = false;
  std::vector<Json> records = std::move(pending);
  pending.clear();
  if (records.empty())
    return Error::success();
  // Files first: a record must not name what is not there.
  if (Error error = fs.sync(path))
    return error;
  return journal->appendAll(records);
}

/// measurement.json is written without waiting for the disk, because the journal holds its text. A
/// power cut can have taken the last ones.
Error RunFolder::healMeasurements() {
  for (const BranchRecord &branch : branches) {
    std::string file = at(branch.id) + "/measurement.json";
    if (branch.measurement.empty())
      continue;
    if (fs.exists(file)) {
      auto text = fs.read(file);
      if (!text)
        return text.takeError();
      if (!text->empty())
        continue; // whatever else is wrong with it, verifyFiles() and replay name
    }
    if (Error error = fs.createFolders(at(branch.id)))
      return error;
    if (Error error = fs.writeAtomic(file, branch.measurement))
      return error;
  }
  return Error::success();
}

static Json usageToJson(const std::vector<propose::TokenUsage> &usage) {
  Json list = Json::array();
  for (const propose::TokenUsage &one : usage)
    list.push_back({{"model", one.model},
                    {"requests", one.requests},
                    {"input", one.input},
                    {"cached", one.cached},
                    {"output", one.output},
                    {"reasoning", one.reasoning}});
  return list;
}

/// Several models share the time of their question. The caller catches what the JSON library throws.
void RunFolder::countCosts(const Json &record) {
  auto it = record.find("usage");
  if (it == record.end())
    return;
  double seconds = record.value("seconds", 0.0);
  for (const Json &entry : *it) {
    Question question;
    question.slot = record.at("slot");
    question.seconds = seconds / it->size();
    question.usage = {entry.at("model"),  entry.at("requests"), entry.at("input"),
                      entry.at("cached"), entry.at("output"),   entry.at("reasoning")};
    questions.push_back(std::move(question));
  }
}

Error RunFolder::recordCosts(StringRef slot, const std::vector<propose::TokenUsage> &usage, double seconds) {
  if (usage.empty())
    return Error::success();
  Json record = {{"event", "costs"}, {"slot", slot.str()}, {"seconds", seconds}, {"usage", usageToJson(usage)}};
  if (Error error = append(record))
    return error;
  countCosts(record);
  return Error::success();
}

Error RunFolder::recordReply(const ReplyRecord &reply, const std::vector<propose::TokenUsage> &usage, double seconds) {
  std::string hash = propose::hashText(reply.request);
  Json stored = {{"slot", reply.slot},
                 {"request", Json::parse(reply.request, nullptr, false)},
                 {"reply", Json::parse(reply.reply, nullptr, false)}};
  std::string text = stored.dump(1, ' ', false, Json::error_handler_t::replace) + "\n";
  if (Error error = fs.createFolders(at("replies")))
    return error;
  if (Error error = fs.writeAllAtomic(at("replies"), {{hash + ".json", text}}, /*wait=*/!batching))
    return error;
  Json record = {{"event", "reply"}, {"slot", reply.slot}, {"request", hash}, {"sha", propose::hashText(text)}};
  if (!usage.empty()) {
    // In the reply's own record: a crash must not keep the one and lose the other.
    record["seconds"] = seconds;
    record["usage"] = usageToJson(usage);
  }
  if (Error error = append(record))
    return error;
  countCosts(record);
  replies[reply.slot] = {hash, reply};
  return Error::success();
}

Error RunFolder::beginBranch(const BranchRecord &branch) {
  if (findBranch(branch.id))
    return Error::success();
  if (Error error = append(toJson(branch)))
    return error;
  branches.push_back(branch);
  return Error::success();
}

Expected<std::string> RunFolder::readFile(StringRef id, StringRef name) const {
  // A file that the journal does not know may be a link to anything: a report would show it.
  const BranchRecord *branch = findBranch(id);
  if (!branch || !branch->files.count(name.str()))
    return createStringError(Twine(at(id)) + "/" + name + " is not in the journal");
  return fs.read(at(id) + "/" + name.str());
}

Error RunFolder::writeFiles(StringRef id, const std::map<std::string, std::string> &files) {
  if (Error error = fs.createFolders(at(id)))
    return error;
  if (Error error = fs.writeAllAtomic(at(id), files, /*wait=*/!batching))
    return error;
  Json hashes = Json::object();
  for (const auto &[name, text] : files)
    hashes[name] = propose::hashText(text);
  Json record = {{"event", "files"}, {"id", id.str()}, {"files", std::move(hashes)}};
  if (Error error = append(record))
    return error;
  return applyRecord(record);
}

Error RunFolder::recordBaselines(const std::map<std::string, double> &times, StringRef note) {
  Json file = {{"version", 1}, {"times_us", times}, {"note", note.str()}};
  if (Error error =
          fs.writeAtomic(at("baselines.json"), file.dump(2, ' ', false, Json::error_handler_t::replace) + "\n"))
    return error;
  if (Error error = append({{"event", "baselines"}, {"times", times}, {"note", note.str()}}))
    return error;
  baselines = times;
  hasBaselines = true;
  return Error::success();
}

Error RunFolder::recordMeasurement(StringRef id, StringRef measurement, StringRef duplicateOf,
                                   ArrayRef<const char *> adopted, double deviceSeconds,
                                   const std::optional<graph::Refusal> &refusal, Standing standing) {
  Json hashes = Json::object();
  for (const char *name : adopted) {
    std::string file = at(id) + "/" + name;
    if (!fs.exists(file))
      continue;
    auto text = fs.read(file);
    if (!text)
      return text.takeError();
    hashes[name] = propose::hashText(*text);
  }
  if (Error error = fs.writeAllAtomic(at(id), {{"measurement.json", measurement.str()}}, /*wait=*/false))
    return error;
  Json record = {{"event", "measurement"}, {"id", id.str()}, {"text", measurement.str()}};
  if (deviceSeconds > 0)
    record["device_seconds"] = deviceSeconds;
  if (!duplicateOf.empty())
    record["duplicate_of"] = duplicateOf.str();
  if (standing != Standing::Final)
    record["standing"] = standing == Standing::Provisional  ? "provisional"
                         : standing == Standing::TimedAgain ? "timed again"
                                                            : "checked";
  if (refusal)
    record["refusal"] = toJson(*refusal);
  if (!hashes.empty())
    record["files"] = std::move(hashes);
  if (Error error = append(record))
    return error;
  return applyRecord(record);
}

Error RunFolder::recordTurns(std::vector<Turn> given) {
  const int batch = int(turns.size()); // the number of its first turn
  beginBatch();                        // they are on disk together
  for (const Turn &turn : given) {
    Json record = {{"event", "turn"}, {"round", turn.round}, {"task", turn.task}};
    if (turn.partition)
      record["partition"] = true;
    record["batch"] = batch;
    Error error = append(record);
    if (!error)
      error = applyRecord(record);
    if (error)
      return error;
  }
  return commit();
}

Error RunFolder::recordPassedOver(const std::vector<std::string> &ids) {
  Json record = {{"event", "passed over"}, {"ids", ids}};
  if (Error error = append(record))
    return error;
  return applyRecord(record);
}

Error RunFolder::recordBest(StringRef id) {
  if (best != id)
    if (Error error = append({{"event", "best"}, {"id", id.str()}}))
      return error;
  best = id.str();
  return fs.link(id, at("best"));
}

Error RunFolder::recordStart(StringRef version) {
  Json record = {{"event", "start"}};
  if (!version.empty())
    record["generator"] = version.str();
  if (Error error = append(record))
    return error;
  return applyRecord(record);
}

Error RunFolder::recordStop(StopReason reason, double seconds, const std::vector<std::string> &told) {
  Json record = {{"event", "stop"}, {"reason", stopReasonWords(reason).str()}, {"seconds", seconds}};
  if (told.size() == 1)
    record["seed"] = told.front();
  else if (!told.empty())
    record["seeds"] = told;
  if (Error error = append(std::move(record)))
    return error;
  stopReason = reason;
  seeds.insert(seeds.end(), told.begin(), told.end());
  return Error::success();
}

Error RunFolder::writeReport(StringRef name, StringRef text) { return fs.writeAtomic(at(name), text); }

} // namespace kgen::trajectory
