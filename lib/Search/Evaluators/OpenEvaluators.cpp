//===- OpenEvaluators.cpp - Which evaluators a search has, and where ------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Search/OpenEvaluators.h"

#include "kgen/Toolchain/Process.h"
#include "kgen/Toolchain/Scratch.h"
#include "kgen/Trajectory/Journal.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Path.h"

#include <algorithm>
#include <cstdlib>

using namespace llvm;

namespace kgen::search {

Expected<std::vector<std::string>> parseDevices(StringRef text, bool launched) {
  std::vector<std::string> devices;
  constexpr unsigned most = 1024;
  for (StringRef item : split(text, ',')) {
    auto [device, times] = item.split('*');
    unsigned count = 1, index;
    StringRef rest = device;
    bool card = rest.consume_front("cuda:") && !rest.getAsInteger(10, index);
    bool wrong = device != "host" && device != "cuda" && device != "auto" && device != "all" && !card;
    if (item.contains('*'))
      wrong |= times.getAsInteger(10, count) || count == 0 || count > most || device == "all";
    const std::string name = device == "cuda" ? "cuda:0" : device.str();
    if (!launched && !wrong && device != "host" && is_contained(devices, name))
      return createStringError(name + " is named twice, but a card of this machine has one evaluator; " + name +
                               "*2 gives it two, which load and verify side by side");
    // Each has inputs and answers of its own in the card's memory.
    constexpr unsigned mostOfACard = 4;
    if (!launched && !wrong && device != "host" && count > mostOfACard)
      return createStringError("'" + item + "' asks for " + Twine(count) + " evaluators of one card, at most " +
                               Twine(mostOfACard) + " are possible");
    if (wrong || (text.contains(',') && (device == "auto" || device == "all")))
      return createStringError("'" + item +
                               "' is no device, expected host, cuda:N, auto or all; several with commas "
                               "between, host*3 for three alike");
    devices.insert(devices.end(), count, name);
  }
  if (devices.size() > most)
    return createStringError("more than " + Twine(most) + " evaluators are asked for");
  return devices;
}

int countSharers(int compileJobs, int64_t cardBytes, double graphBytes) {
  // Right answers in fp64 and a candidate's buffers, of the whole and of its tasks: of two layers of Mixtral 8x7B in
  // fp32 one evaluator took up to ten times (an H200).
  constexpr int most = 3, coresOfEach = 4;
  constexpr double timesTaken = 8;
  const int sharers = std::min(most, compileJobs / coresOfEach);
  if (cardBytes <= 0 || graphBytes <= 0)
    return sharers;
  return int(std::min<double>(sharers, double(cardBytes) / (timesTaken * graphBytes)));
}

Expected<std::vector<std::string>> parseLauncher(StringRef text) {
  StringRef command = text;
  std::vector<std::string> words;
  // What the evaluator says must come as it is said; a job that a node lost must not wait for the others.
  if (command == "slurm" || command.consume_front("slurm:")) {
    words = {"srun", "--ntasks=1", "--unbuffered", "--job-name=kgen-eval"};
    command = text == "slurm" ? "" : command;
  }
  auto asked = toolchain::splitWords(command, " \t\n\v\f\r");
  if (!asked)
    return createStringError("'" + text + "' has a quote that does not close");
  append_range(words, *asked);
  if (words.empty() || words.front().empty())
    return createStringError("'" + text +
                             "' names no command; expected one that runs what follows it elsewhere, as "
                             "'ssh HOST', or slurm[:OPTIONS]");
  return words;
}

/// What the kgen-eval that LAUNCHER starts says of its machine; {"cards": 4, "version": ...}.
static Expected<trajectory::Json> askForCards(const std::string &programFolder) {
  toolchain::ProcessRequest request;
  request.arguments = {programFolder + "/kgen-eval", "--kgen-cards"};
  toolchain::ProcessLimits limits;
  limits.wallSeconds = 60;
  auto result = toolchain::runProcess(request, limits);
  if (!result)
    return result.takeError();
  auto answer = trajectory::Json::parse(result->output, nullptr, /*allow_exceptions=*/false);
  if (!answer.is_object() || !answer.contains("version"))
    return createStringError("kgen-eval does not say how many cards there are");
  return answer;
}

Expected<std::unique_ptr<CandidateEvaluator>> openEvaluators(const EvaluatorRequest &request,
                                                             const std::string &programFolder,
                                                             const std::atomic<bool> &stop, const Listener &say) {
  bool launched = !request.launchers.empty();
  auto devices = parseDevices(request.devices, launched);
  if (!devices)
    return devices.takeError();
  std::string version;
  if (launched || devices->front() == "all") {
    auto here = askForCards(programFolder);
    if (!here)
      return here.takeError();
    version = here->value("version", "");
    if (devices->front() == "all") {
      if (launched)
        return createStringError("all are the cards of this machine: with a launcher name the device of each "
                                 "evaluator, as cuda:0 or cuda:0*4");
      devices->clear();
      for (int card = 0; card < here->value("cards", 0); ++card)
        devices->push_back("cuda:" + std::to_string(card));
      if (devices->empty())
        return createStringError("there is no card: " + here->value("why", "the driver sees none"));
    }
  }
  if (devices->size() == 1 && !launched)
    return createProcessEvaluator({devices->front(), {}, programFolder}, [&stop] { return stop.load(); });

  std::vector<PoolMember> members;
  std::vector<std::vector<std::string>> launchers;
  for (const std::string &text : request.launchers) {
    auto words = parseLauncher(text);
    if (!words)
      return words.takeError();
    launchers.push_back(std::move(*words));
  }
  if (!launched)
    launchers.emplace_back();
  // Those that have a card together meet at a file of its name.
  std::shared_ptr<toolchain::ScratchFolder> gates;
  auto sharesCard = [&](const std::string &device) {
    return !launched && device != "host" && count(*devices, device) > 1;
  };
  const char *named = getenv("KGEN_GATE"); // kgen-eval makes it
  const bool isNamed = named && *named;
  if (!isNamed && any_of(*devices, sharesCard)) {
    auto folder = toolchain::ScratchFolder::create("gates");
    if (!folder)
      return folder.takeError();
    gates = std::make_shared<toolchain::ScratchFolder>(std::move(*folder));
  }
  for (const std::vector<std::string> &launcher : launchers)
    for (const std::string &device : *devices) {
      PoolMember member;
      std::string number = "evaluator " + std::to_string(members.size() + 1);
      member.name = launched             ? number + " (" + sys::path::filename(launcher.front()).str() + ")"
                    : device == "host"   ? number
                    : sharesCard(device) ? number + " (" + device + ")"
                                         : device;
      if (launched || device == "host" || sharesCard(device))
        member.mark = number;
      member.elsewhere = launched;
      EvaluatorPlace place{device, launcher, programFolder, /*oneOfSeveral=*/true};
      if (sharesCard(device)) {
        place.sharers = unsigned(count(*devices, device));
        if (!isNamed)
          place.gate = gates->path() + "/" + device;
      }
      member.open = [place, version,
                     gates](const Listener &waiting,
                            std::function<bool()> isStopped) -> Expected<std::unique_ptr<CandidateEvaluator>> {
        auto evaluator = createProcessEvaluator(place, std::move(isStopped), waiting);
        if (!evaluator || place.launcher.empty())
          return evaluator;
        std::string theirs = (*evaluator)->getDevice().version;
        if (theirs != version)
          return make_error<EvaluatorLost>("its kgen-eval is of another version (" +
                                               (theirs.empty() ? "it does not say which" : theirs.substr(0, 12)) +
                                               ", here " + version.substr(0, 12) + "): install the same one there",
                                           /*forGood=*/true);
        return evaluator;
      };
      members.push_back(std::move(member));
    }
  return createEvaluatorPool(std::move(members), stop, say);
}

} // namespace kgen::search
