//===- BuiltinIdeas.cpp - The catalogue by a person's words ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/BuiltinIdeas.h"
#include "BuiltinSession.h"
#include "kgen/Kernels/Ideas/Catalogue.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/Twine.h"

#include <set>

using namespace llvm;

namespace kgen::propose {

/// The words of TEXT that say something, in lower case and without a plural's s.
static std::set<std::string> contentWords(StringRef text) {
  std::set<std::string> words;
  std::string word;
  for (char c : (text + " ").str()) {
    if (isAlnum(c)) {
      word += toLower(c);
      continue;
    }
    if (word.size() > 4 && word.back() == 's')
      word.pop_back();
    bool empty = StringSwitch<bool>(word)
                     .Cases({"the", "and", "for", "with", "into", "that", "each", "its", "one"}, true)
                     .Cases({"use", "try", "more", "than", "from", "this", "kernel", "make", "let"}, true)
                     .Default(word.size() < 3);
    if (!empty)
      words.insert(word);
    word.clear();
  }
  return words;
}

Expected<Idea> matchBuiltinIdea(StringRef words) {
  std::set<std::string> asked = contentWords(words);
  std::vector<std::pair<size_t, const ideas::CatalogueEntry *>> ranked; // words in common
  for (const ideas::CatalogueEntry &entry : ideas::getCatalogue()) {
    if (words.trim() == entry.key || words.trim() == entry.text) // another's words may hold all of an entry's
      return Idea{entry.key, entry.text, entry.category};
    std::set<std::string> known = contentWords((Twine(entry.key) + " " + entry.text).str());
    ranked.push_back({count_if(asked, [&](const std::string &word) { return known.count(word) > 0; }), &entry});
  }
  for (const Idea &idea : structuralIdeas())
    if (words.trim() == idea.key)
      return idea;
  for (const RewriteIdea &one : rewriteIdeas())
    if (words.trim() == one.idea.key || words.trim() == one.idea.text)
      return one.idea;
  llvm::stable_sort(ranked, [](const auto &a, const auto &b) { return a.first > b.first; });
  // Most of what was said, at least two words, and nobody else has as many.
  auto [common, entry] = ranked.front();
  if (common >= 2 && 3 * common >= 2 * asked.size() && common > ranked[1].first)
    return Idea{entry->key, entry->text, entry->category};
  std::string nearest;
  for (auto [count, candidate] : ArrayRef(ranked).take_front(3))
    if (count > 0)
      nearest += (nearest.empty() ? " (nearest: " : ", ") + std::string(candidate->key);
  if (!nearest.empty())
    nearest += ")";
  return createStringError("the builtin proposer cannot read words, and its catalogue has no idea like '" +
                           words.take_front(80) + "': name one by its key" + nearest +
                           ", or ask a language model by --llm");
}

std::vector<ListedIdea> listBuiltinIdeas() {
  std::vector<ListedIdea> list;
  for (const RewriteIdea &one : rewriteIdeas())
    list.push_back({one.idea, {}, true, true});
  for (const ideas::CatalogueEntry &entry : ideas::getCatalogue())
    list.push_back({Idea{entry.key, entry.text, entry.category},
                    {entry.families.begin(), entry.families.end()},
                    entry.onHost > 0,
                    entry.onCuda > 0});
  return list;
}

} // namespace kgen::propose
