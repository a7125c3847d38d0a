//===- ReplayProposer.cpp - Answers from a run folder ---------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The same question gets the same answer: replies are found by the hash of the
// request. A run on another device asks other questions (times are part of
// them); there the answer recorded at the same place of the run is given.
//
//===----------------------------------------------------------------------===//

#include "ReplayProposer.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/FileSystem.h"
#include "llvm/Support/MemoryBuffer.h"
#include "llvm/Support/Path.h"

#include <nlohmann/json.hpp>

#include <map>

using namespace llvm;

namespace kgen::propose {
namespace {

using Json = nlohmann::ordered_json;

class ReplayProposer : public Proposer {
public:
  Error load(StringRef runFolder) {
    std::string folder = (runFolder + "/replies").str();
    std::error_code ec;
    for (sys::fs::directory_iterator it(folder, ec), end; it != end && !ec; it.increment(ec)) {
      if (sys::path::extension(it->path()) != ".json")
        continue;
      auto buffer = MemoryBuffer::getFile(it->path());
      if (!buffer)
        return createStringError(Twine("cannot read ") + it->path() + ": " + buffer.getError().message());
      StringRef text = (*buffer)->getBuffer();
      Json json = Json::parse(text.begin(), text.end(), nullptr, /*allow_exceptions=*/false);
      if (!json.is_object() || !json.contains("reply") || !json.contains("slot") || !json["slot"].is_string())
        return createStringError(Twine(it->path()) + " is not a recorded reply");
      std::string reply = json["reply"].dump(-1, ' ', false, Json::error_handler_t::replace);
      bySlot[json["slot"].get<std::string>()] = reply;
      byHash[sys::path::stem(it->path()).str()] = reply;
    }
    if (bySlot.empty())
      return createStringError(Twine(runFolder) + " holds no recorded replies");
    return Error::success();
  }

  Expected<std::vector<Idea>> proposeIdeas(const ProposalContext &context, int n) override {
    const std::string *reply = find(printRequest(context, "ideas", nullptr, n), context.slot + "/ideas");
    return reply ? parseIdeas(*reply) : std::vector<Idea>();
  }

  Expected<std::vector<Materialization>> materialize(const ProposalContext &context, const Idea &idea, int n) override {
    const std::string *reply = find(printRequest(context, "materialize", &idea, n), context.slot);
    return reply ? parseMaterializations(*reply) : std::vector<Materialization>();
  }

private:
  const std::string *find(const std::string &request, const std::string &slot) const {
    if (auto it = byHash.find(hashText(request)); it != byHash.end())
      return &it->second;
    auto it = bySlot.find(slot);
    return it == bySlot.end() ? nullptr : &it->second;
  }

  std::map<std::string, std::string> byHash, bySlot;
};

} // namespace

Expected<std::unique_ptr<Proposer>> createReplayProposer(StringRef runFolder) {
  auto proposer = std::make_unique<ReplayProposer>();
  if (Error error = proposer->load(runFolder))
    return std::move(error);
  return proposer;
}

} // namespace kgen::propose
