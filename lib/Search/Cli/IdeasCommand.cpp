//===- IdeasCommand.cpp - kgen-search ideas -------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SearchCommands.h"
#include "kgen/Propose/BuiltinIdeas.h"
#include "kgen/Propose/Proposer.h"
#include "kgen/Report/TerminalText.h"
#include "kgen/Search/ProblemSource.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace llvm;

namespace kgen::search {

/// What the builtin proposer could begin a search of COMMAND's problem with, most promising first. The catalogue
/// KNOWS which families an idea is for; one that is not there is about how ops are grouped.
static Expected<std::vector<propose::ListedIdea>> ideasFor(const SearchCommand &command, const SearchToolWorld &world,
                                                           const std::vector<propose::ListedIdea> &known) {
  SourceFolders folders = findSourceFolders(world.fs, world.programFolder);
  auto text = readProblem(world.fs, folders, command.problem, world.programFolder);
  if (!text)
    return text.takeError();
  auto facts = world.compiler.facts(*text);
  if (!facts)
    return createStringError(command.problem + ": " + toString(facts.takeError()));
  propose::ProposalContext context;
  context.slot = "round-01/seed-0";
  context.facts = std::move(*facts);
  context.precision = context.facts.precision;
  context.device = command.device == "host" || command.device == "auto" ? "host" : "cuda";
  constexpr int all = 10000;
  auto ideas = propose::createBuiltinProposer()->proposeIdeas(context, all);
  if (!ideas)
    return ideas.takeError();
  std::vector<propose::ListedIdea> list;
  for (propose::Idea &idea : *ideas) {
    propose::ListedIdea listed;
    for (const propose::ListedIdea &one : known)
      if (one.idea.key == idea.key)
        listed = one;
    listed.idea = std::move(idea);
    list.push_back(std::move(listed));
  }
  return list;
}

Expected<std::vector<propose::ListedIdea>> chooseIdeas(const SearchCommand &command, const SearchToolWorld &world) {
  std::vector<propose::ListedIdea> known = propose::listBuiltinIdeas(), list = known;
  std::vector<std::string> families;
  for (const propose::ListedIdea &one : known)
    for (const std::string &family : one.families)
      if (!is_contained(families, family))
        families.push_back(family);
  if (!command.family.empty() && !is_contained(families, command.family))
    return createStringError("--family is '" + command.family + "', expected one of " + join(families, ", "));
  if (!command.problem.empty()) {
    auto some = ideasFor(command, world, known);
    if (!some)
      return some.takeError();
    list = std::move(*some);
  }
  erase_if(list, [&](const propose::ListedIdea &one) {
    return (!command.family.empty() && !is_contained(one.families, command.family)) ||
           (command.problem.empty() && ((command.device == "host" && !one.onHost) ||
                                        (StringRef(command.device).starts_with("cuda") && !one.onCuda)));
  });
  return list;
}

Expected<int> listIdeas(const SearchCommand &command, const SearchToolWorld &world) {
  auto chosen = chooseIdeas(command, world);
  if (!chosen)
    return chosen.takeError();
  const std::vector<propose::ListedIdea> &list = *chosen;
  if (command.format == "json") {
    trajectory::Json all = trajectory::Json::array();
    for (const propose::ListedIdea &one : list)
      all.push_back({{"key", one.idea.key},
                     {"category", ideas::categoryName(one.idea.category).str()},
                     {"families", one.families},
                     {"idea", one.idea.text}});
    world.out << all.dump(2, ' ', false, trajectory::Json::error_handler_t::replace) << "\n";
    return 0;
  }
  for (const propose::ListedIdea &one : list) {
    world.out << report::paint(one.idea.key, report::Ink::Strong, world.colour) << " ("
              << ideas::categoryName(one.idea.category);
    if (!one.families.empty())
      world.out << "; " << join(one.families, ", ");
    world.out << ")\n";
    constexpr int indent = 4;
    for (const std::string &line : report::wrapLines(one.idea.text, world.columns - indent))
      world.out.indent(indent) << line << "\n";
  }
  world.out << list.size() << (list.size() == 1 ? " idea" : " ideas") << "; give one to a search by --idea KEY\n";
  return 0;
}

} // namespace kgen::search
