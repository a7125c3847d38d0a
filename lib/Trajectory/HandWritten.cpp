//===- HandWritten.cpp ----------------------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Trajectory/HandWritten.h"
#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Propose/Proposer.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/ConvertUTF.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace llvm;

namespace kgen::trajectory {

static constexpr size_t longestIdea = 4000, longestKernel = 1 << 20;

static bool isUtf8(StringRef text) {
  const UTF8 *begin = reinterpret_cast<const UTF8 *>(text.begin());
  return isLegalUTF8String(&begin, reinterpret_cast<const UTF8 *>(text.end()));
}

Json HandWritten::toJson() const {
  Json json = {
      {"version", 1},      {"file", file}, {"key", idea.key}, {"category", ideas::categoryName(idea.category).str()},
      {"idea", idea.text}, {"cuda", cuda}, {"plan", plan}};
  // What older journals do not have is written only where it says something.
  if (!directives.empty())
    json["directives"] = directives;
  if (!parent.empty())
    json["parent"] = parent;
  return json;
}

Expected<HandWritten> HandWritten::fromJson(const Json &json) {
  HandWritten entry;
  try {
    entry.file = json.value("file", "");
    entry.idea.key = json.at("key");
    entry.idea.text = json.at("idea");
    entry.idea.category =
        ideas::parseIdeaCategory(json.at("category").get<std::string>()).value_or(ideas::IdeaCategory::Compute);
    entry.cuda = json.at("cuda");
    entry.plan = json.at("plan");
    entry.directives = json.value("directives", "");
    entry.parent = json.value("parent", "");
  } catch (const Json::exception &) {
    return createStringError("it is not what kgen-search add writes");
  }
  return entry;
}

Expected<HandWritten> readHandWrittenIdea(StringRef text) {
  HandWritten entry;
  StringRef words = text.trim();
  auto [first, rest] = words.split(':');
  if (auto category = ideas::parseIdeaCategory(first.trim()); category && !rest.trim().empty()) {
    entry.idea.category = *category;
    words = rest.trim();
  }
  if (words.empty())
    return createStringError("an idea needs words");
  if (words.size() > longestIdea)
    return createStringError("an idea of " + Twine(words.size()) + " bytes is no idea any more; at most " +
                             Twine(longestIdea));
  if (!isUtf8(words))
    return createStringError("the idea is not UTF-8 text");
  if (std::string disguise = candidate::findDisguise(words, "the idea"); !disguise.empty())
    return createStringError(disguise);
  entry.idea.text = words.str();
  entry.idea.key = "hand-" + propose::hashText(words).substr(0, 8);
  return entry;
}

Expected<HandWritten> readHandWrittenKernel(FileSystem &fs, StringRef path) {
  if (!path.ends_with(".cu"))
    return createStringError(Twine(path) + " is not a .cu file");
  auto cuda = fs.read(path);
  if (!cuda)
    return cuda.takeError();
  std::string plan, planPath = path.drop_back(3).str() + ".plan.json";
  if (fs.exists(planPath)) {
    auto text = fs.read(planPath);
    if (!text)
      return text.takeError();
    plan = std::move(*text);
  }
  return takeHandWrittenKernel(std::move(*cuda), std::move(plan), path, planPath, path.substr(path.rfind('/') + 1));
}

Expected<HandWritten> takeHandWrittenKernel(std::string cuda, std::string plan, StringRef where, StringRef planWhere,
                                            StringRef name) {
  HandWritten entry;
  entry.cuda = std::move(cuda);
  entry.plan = std::move(plan);
  if (!isUtf8(entry.plan) || entry.plan.size() > longestKernel)
    return createStringError(Twine(planWhere) + " is not a plan: expected UTF-8 text of at most 1 MiB");
  if (!isUtf8(entry.cuda) || entry.cuda.size() > longestKernel)
    return createStringError(Twine(where) + " is not CUDA-C: expected UTF-8 text of at most 1 MiB");
  for (auto [text, place] : {std::pair<StringRef, StringRef>(entry.cuda, where), {entry.plan, planWhere}})
    if (std::string disguise = candidate::findDisguise(text, place); !disguise.empty())
      return createStringError(disguise);
  if (!StringRef(entry.cuda).contains("__global__"))
    return createStringError(Twine(where) + " holds no __global__ function");
  if (entry.plan.empty() && !StringRef(entry.cuda).contains("// kgen-launch:"))
    return createStringError(Twine(where) + " has no launch plan: put it into " + planWhere +
                             ", or say `// kgen-launch: kernel=NAME grid=X block=X args=in0,out0` in its header");
  entry.idea.key = "hand-" + propose::hashText(entry.cuda).substr(0, 8);
  entry.idea.text = ("A kernel written by hand" + (name.empty() ? Twine() : ", " + name) + ".").str();
  if (size_t at = entry.cuda.find("// kgen-idea:"); at != std::string::npos) {
    auto idea = readHandWrittenIdea(StringRef(entry.cuda).substr(at + 13).split('\n').first);
    if (!idea)
      return createStringError(Twine(where) + ": " + toString(idea.takeError()));
    entry.idea.text = idea->idea.text;
    entry.idea.category = idea->idea.category;
  }
  return entry;
}

Expected<HandWritten> takeHandWrittenDirectives(std::string directives) {
  HandWritten entry;
  entry.directives = std::move(directives);
  if (!isUtf8(entry.directives) || entry.directives.size() > longestKernel)
    return createStringError("the directives are no script: expected UTF-8 text of at most 1 MiB");
  if (std::string disguise = candidate::findDisguise(entry.directives, "the script"); !disguise.empty())
    return createStringError(disguise);
  if (!StringRef(entry.directives).contains("transform."))
    return createStringError("the directives hold no transform op, expected a transform.kgen.* script");
  entry.idea.key = "hand-" + propose::hashText(entry.directives).substr(0, 8);
  entry.idea.text = "Directives written by hand.";
  return entry;
}

Error dropIntoInbox(FileSystem &fs, Clock &clock, StringRef run, int order, HandWritten entry) {
  std::string inbox = run.str() + "/inbox";
  if (Error error = fs.createFolders(inbox))
    return error;
  // Names sort by time; the text's hash keeps two commands of the same moment apart.
  std::string hash = propose::hashText(entry.idea.text + '\0' + entry.cuda + '\0' + entry.plan + entry.directives);
  entry.file.clear();
  raw_string_ostream(entry.file) << format("%016llu-%03d-", (unsigned long long)(clock.wallSeconds() * 1000), order)
                                 << hash.substr(0, 8) << ".json";
  return fs.writeAtomic(inbox + "/" + entry.file,
                        entry.toJson().dump(1, ' ', false, Json::error_handler_t::replace) + "\n");
}

std::vector<HandWritten> readInbox(FileSystem &fs, StringRef run, std::vector<std::string> &problems) {
  std::vector<HandWritten> entries;
  std::string inbox = run.str() + "/inbox";
  for (const std::string &name : fs.list(inbox)) {
    if (!StringRef(name).ends_with(".json"))
      continue; // a file on its way
    auto text = fs.read(inbox + "/" + name);
    if (!text) {
      problems.push_back(toString(text.takeError()));
      continue;
    }
    auto entry = HandWritten::fromJson(Json::parse(*text, nullptr, /*allow_exceptions=*/false));
    if (!entry) {
      problems.push_back(inbox + "/" + name + " is left out: " + toString(entry.takeError()));
      continue;
    }
    entry->file = name;
    entries.push_back(std::move(*entry));
  }
  return entries;
}

Error removeFromInbox(FileSystem &fs, StringRef run, StringRef file) {
  std::string path = run.str() + "/inbox/" + file.str();
  return fs.exists(path) ? fs.removeFile(path) : Error::success();
}

} // namespace kgen::trajectory
