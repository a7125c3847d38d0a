//===- PromptCommand.cpp - kgen-search prompt RUN BRANCH ------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchCommands.h"
#include "kgen/Candidate/UntrustedText.h"
#include "kgen/Propose/ModelProposer.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

using namespace llvm;

namespace kgen::search {

/// What was sent for the question at SLOT: as recorded, or, where no model was asked, as one would be.
static Error printQuestionOf(const trajectory::RunFolder &run, const trajectory::ReplyRecord &reply, raw_ostream &out) {
  auto header = [&](const Twine &what) { out << "======== " << what << "\n"; };
  std::vector<const propose::Exchange *> exchanges = run.findExchanges(reply.slot);
  for (const propose::Exchange *exchange : exchanges) {
    header(exchange->question.slot + ", sent to " + exchange->model + ": system");
    out << exchange->question.system << "\n";
    for (const propose::ModelTurn &turn : exchange->question.turns) {
      header(exchange->question.slot + ": " + turn.role);
      out << turn.text << "\n";
    }
  }
  if (!exchanges.empty())
    return Error::success();
  auto request = propose::parseRequest(reply.request);
  if (!request)
    return request.takeError();
  // A person's idea and the neighbours of a kernel are asked for as any idea's ways are; a person's kernel is not asked
  // for.
  std::string stage = request->stage;
  if (stage == "hand" || stage == "tune") {
    auto ways = propose::parseMaterializations(reply.reply);
    if (!ways)
      return ways.takeError();
    if (stage == "hand" && any_of(*ways, [](const propose::Materialization &way) { return !way.cuda.empty(); })) {
      header(reply.slot + ": a kernel by hand, nobody was asked");
      return Error::success();
    }
    stage = "materialize";
  }
  header(reply.slot + ", no model was asked; it would be sent: system");
  out << propose::printSystemPrompt() << "\n";
  header(reply.slot + ": user");
  out << propose::printUserPrompt(request->context, stage, request->idea ? &*request->idea : nullptr,
                                  request->failed ? &*request->failed : nullptr, request->n)
      << "\n";
  return Error::success();
}

Expected<int> printPrompts(const SearchCommand &command, const SearchToolWorld &world) {
  auto run = trajectory::RunFolder::openForReading(world.fs, world.clock, command.run);
  if (!run)
    return run.takeError();
  const trajectory::BranchRecord *branch = (*run)->findBranch(command.branch);
  if (!branch)
    return createStringError(command.run + " has no branch " + command.branch + "; branches are named as round-01/b00");
  const trajectory::ReplyRecord *reply = (*run)->findReplyByHash(branch->reply);
  if (!reply)
    return createStringError(command.branch + " comes of no question");
  std::string text; // prompts hold what compilers and models said
  raw_string_ostream os(text);
  // The ideas, of which this branch's is one, were asked for at the slot above.
  StringRef slot = reply->slot;
  if (slot.contains("/idea-"))
    if (const trajectory::ReplyRecord *ideas = (*run)->findReply((slot.rsplit('/').first + "/ideas").str()))
      if (Error error = printQuestionOf(**run, *ideas, os))
        return std::move(error);
  if (Error error = printQuestionOf(**run, *reply, os))
    return std::move(error);
  world.out << candidate::printable(text);
  return 0;
}

} // namespace kgen::search
