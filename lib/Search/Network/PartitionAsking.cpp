//===- PartitionAsking.cpp - Where models would cut a network -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The questions are those of any graph, an idea in words and then how to carry it out; what is told first is the
// network's profile, and which directives are a network's.
//
//===----------------------------------------------------------------------===//

#include "NetworkSearch.h"

using namespace llvm;

namespace kgen::search {

StringRef networkDirectives() {
  return "Kernels are the tasks' own concern. Asked is where the network is cut, by directives of its own and no "
         "others:\n"
         "\n"
         "- `transform.kgen.fold_scales %f`: a batch norm, or a factor for each channel, behind a convolution or a "
         "linear product becomes a part of its weight and bias, which are computed once when weights change;\n"
         "- `transform.kgen.channels_last %f`: two-dimensional convolutions and what lies between them read and write "
         "tensors with channels last, and permutations between the two orders go;\n"
         "- `transform.kgen.join_products %f`: linear products that read one operand become one product of their "
         "weights one after the other, and slices of it;\n"
         "- `transform.kgen.join_heads %f`: the same of those only whose results one attention alone reads, whose "
         "kernels read slices;\n"
         "- `transform.kgen.fuse_tasks \"aten.conv2d\" before \"aten.max_pool2d\" in %f`: the tasks of the first op "
         "become a part of the one task that reads them, which must have the second op;\n"
         "- `transform.kgen.split_tasks \"aten.gelu\" in %f`: such ops begin a task.\n"
         "\n"
         "A script has one or more of them, for %f alone; what was done to the parent stays. Answer with directives, "
         "never with device code.";
}

/// Asks by ASK and records the answer, as PRINT has it, for SLOT.
template <typename Ask>
static auto askOnce(trajectory::RunFolder &run, propose::Proposer &proposer, trajectory::Clock &clock,
                    const std::string &slot, const std::string &request, Ask ask) -> decltype(ask()) {
  const double begin = clock.seconds();
  auto answer = ask();
  const double seconds = clock.seconds() - begin;
  if (!answer) {
    if (Error unsaved = run.recordCosts(slot, proposer.takeUsage(), seconds))
      consumeError(std::move(unsaved)); // of two errors the first one says what happened
    return answer;
  }
  if (answer->size() > 1)
    answer->resize(1);
  std::string text;
  if constexpr (std::is_same_v<std::decay_t<decltype((*answer)[0])>, propose::Idea>)
    text = propose::printIdeas(*answer);
  else
    text = propose::printMaterializations(*answer);
  if (Error error = run.recordReply({slot, request, text}, proposer.takeUsage(), seconds))
    return std::move(error);
  return answer;
}

Expected<std::optional<network::PartitionIdea>> askPartition(trajectory::RunFolder &run, propose::Proposer &proposer,
                                                             trajectory::Clock &clock, propose::ProposalContext context,
                                                             std::string &reply) {
  const std::string slot = context.slot;
  const trajectory::ReplyRecord *known = run.findReply(slot + "/ideas");
  auto ideas = known
                   ? propose::parseIdeas(known->reply)
                   : askOnce(run, proposer, clock, slot + "/ideas", propose::printRequest(context, "ideas", nullptr, 1),
                             [&] { return proposer.proposeIdeas(context, 1); });
  if (!ideas)
    return ideas.takeError();
  if (ideas->empty())
    return std::nullopt;
  const propose::Idea &idea = ideas->front();
  context.slot = slot + "/idea-0";
  known = run.findReply(context.slot);
  auto ways = known
                  ? propose::parseMaterializations(known->reply)
                  : askOnce(run, proposer, clock, context.slot, propose::printRequest(context, "materialize", &idea, 1),
                            [&] { return proposer.materialize(context, idea, 1); });
  if (!ways)
    return ways.takeError();
  if (ways->empty())
    return std::nullopt;
  reply = propose::hashText(run.findReply(context.slot)->request);
  network::PartitionIdea asked;
  asked.key = idea.key;
  asked.category = ideas::categoryName(idea.category).str();
  asked.text = idea.text;
  asked.directives = ways->front().directives;
  if (!asked.directives.empty() && asked.directives.back() != '\n')
    asked.directives += '\n';
  return asked;
}

} // namespace kgen::search
