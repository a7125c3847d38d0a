//===- KernelLibrary.cpp --------------------------------------------------===//

#include "kgen/Library/KernelLibrary.h"

#include "llvm/ADT/Twine.h"

#include <nlohmann/json.hpp>

#include <utility>

using namespace llvm;

namespace kgen {

using Json = nlohmann::ordered_json;

std::string KernelLibrary::fileOf(const LibraryKey &key) const {
  // A separator that occurs in none of the parts.
  return folder + "/" + hashText(key.graph + '\0' + key.device + '\0' + key.precision) + ".json";
}

Expected<std::optional<LibraryEntry>> KernelLibrary::find(const LibraryKey &key) {
  std::string file = fileOf(key);
  if (!fs.exists(file))
    return std::optional<LibraryEntry>();
  auto text = fs.read(file);
  if (!text)
    return text.takeError();
  LibraryEntry entry;
  try {
    Json json = Json::parse(*text);
    auto ideas = parseIdeas(Json::array({json.at("idea")}).dump());
    if (!ideas)
      return createStringError(Twine(file) + ": " + toString(ideas.takeError()));
    auto list = parseMaterializations(Json::array({json.at("materialization")}).dump());
    if (!list)
      return createStringError(Twine(file) + ": " + toString(list.takeError()));
    entry.idea = ideas->front();
    entry.materialization = list->front();
    entry.timeUs = json.at("time_us");
    entry.run = json.at("run");
  } catch (const Json::exception &) {
    return createStringError(Twine(file) + " is not an entry of a kernel library");
  }
  return std::optional<LibraryEntry>(std::move(entry));
}

Error KernelLibrary::store(const LibraryKey &key, const LibraryEntry &entry) {
  auto known = find(key);
  if (!known)
    return known.takeError();
  if (*known && (*known)->timeUs <= entry.timeUs)
    return Error::success();
  if (Error error = fs.createFolders(folder))
    return error;
  Json json = {{"version", 1},
               {"device", key.device},
               {"precision", key.precision},
               {"time_us", entry.timeUs},
               {"run", entry.run},
               {"idea", Json::parse(printIdeas({entry.idea})).front()},
               {"materialization", Json::parse(printMaterializations({entry.materialization})).front()}};
  return fs.writeAtomic(fileOf(key), json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n");
}

namespace {

constexpr StringLiteral libraryKey = "library";

class SeededProposer : public Proposer {
public:
  SeededProposer(std::unique_ptr<Proposer> inner, LibraryEntry entry)
      : inner(std::move(inner)), entry(std::move(entry)) {}

  Expected<std::vector<Idea>> proposeIdeas(const ProposalContext &context, int n) override {
    // Round 0 has nothing but the generic kernel in its history.
    if (context.history.size() != 1 || n < 1)
      return inner->proposeIdeas(context, n);
    constexpr StringLiteral prefix = "Known from an earlier search: ";
    StringRef words = entry.idea.text;
    words.consume_front(prefix); // found again, it is still the first search's idea
    std::vector<Idea> ideas = {{libraryKey.str(), (prefix + words).str(), entry.idea.category}};
    if (n == 1)
      return ideas;
    auto others = inner->proposeIdeas(context, n - 1);
    if (!others)
      return others.takeError();
    ideas.insert(ideas.end(), others->begin(), others->end());
    return ideas;
  }

  Expected<std::vector<Materialization>> materialize(const ProposalContext &context, const Idea &idea, int n) override {
    if (idea.key == libraryKey)
      return std::vector<Materialization>{entry.materialization};
    return inner->materialize(context, idea, n);
  }

  bool canRepair() const override { return inner->canRepair(); }
  Expected<std::vector<Materialization>> repair(const ProposalContext &context, const Idea &idea,
                                                const FailedBranch &failed) override {
    if (idea.key == libraryKey)
      return std::vector<Materialization>();
    return inner->repair(context, idea, failed);
  }
  std::vector<TokenUsage> takeUsage() override { return inner->takeUsage(); }
  bool readsWords() const override { return inner->readsWords(); }

private:
  std::unique_ptr<Proposer> inner;
  LibraryEntry entry;
};

} // namespace

std::unique_ptr<Proposer> createSeededProposer(std::unique_ptr<Proposer> inner, LibraryEntry entry) {
  return std::make_unique<SeededProposer>(std::move(inner), std::move(entry));
}

} // namespace kgen
