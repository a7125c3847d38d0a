//===- ExecModel.cpp - A command that reads a prompt and writes an answer -===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../JsonFields.h"
#include "kgen/Propose/CommandModels.h"
#include "kgen/Propose/ReplyText.h"
#include "kgen/Toolchain/Process.h"

#include "llvm/ADT/Twine.h"

#include <cerrno>
#include <csignal>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

using namespace llvm;

namespace kgen::propose {
namespace {

/// How a command-line agent is called, and what it prints.
struct Preset {
  const char *name;
  std::vector<const char *> arguments;
  const char *keyVariable; ///< the one key that its child sees
  const char *answerKey;   ///< of the JSON that it prints; null: plain text
};
const Preset presets[] = {{"codex", {"codex", "exec", "-"}, "OPENAI_API_KEY", nullptr},
                          {"claude", {"claude", "-p", "--output-format", "json"}, "ANTHROPIC_API_KEY", "result"},
                          {"gemini", {"gemini", "--output-format", "json"}, "GEMINI_API_KEY", "response"}};

constexpr size_t maxOutput = 16 << 20;

Expected<std::vector<std::string>> splitCommand(StringRef command) {
  std::vector<std::string> words;
  if (command.ltrim().starts_with("[")) {
    auto json = parseUntrustedJson(command, "exec:'s array");
    if (!json)
      return json.takeError();
    for (const nlohmann::json &word : *json) {
      if (!word.is_string())
        return createStringError("exec:'s array holds something that is no string");
      words.push_back(word);
    }
  } else {
    auto split = toolchain::splitWords(command, " \t");
    if (!split)
      return createStringError("exec:'s command has a quote that does not close");
    words = std::move(*split);
  }
  if (words.empty() || words[0].empty())
    return createStringError("exec: needs a command");
  return words;
}

struct Descriptor {
  int number = -1;
  ~Descriptor() { close(); }
  void close() {
    if (number >= 0)
      ::close(number);
    number = -1;
  }
};

/// While it lives, writing to a command that has gone is an error and no signal.
class NoPipeSignal {
public:
  NoPipeSignal() {
    sigemptyset(&pipe);
    sigaddset(&pipe, SIGPIPE);
    ::pthread_sigmask(SIG_BLOCK, &pipe, &before);
  }
  ~NoPipeSignal() {
    timespec now = {};
    ::sigtimedwait(&pipe, nullptr, &now); // takes one that waits
    ::pthread_sigmask(SIG_SETMASK, &before, nullptr);
  }

private:
  sigset_t pipe, before;
};

class ExecModel : public Model {
public:
  ExecModel(std::vector<std::string> words, const Preset *preset, const CommandOptions &options)
      : words(std::move(words)), preset(preset), options(options) {}

  std::string getName() const override { return "exec:" + words[0]; }

  Expected<ModelReply> ask(const ModelQuestion &question) override {
    std::string output, errors;
    if (Error error = runCommand(printQuestion(question), output, errors))
      return std::move(error);
    ModelReply reply;
    reply.text = hideKey(std::move(output));
    if (preset && preset->answerKey)
      if (Error error = readAgentAnswer(reply))
        return std::move(error);
    return reply;
  }

private:
  const char *key() const {
    if (!preset)
      return nullptr;
    return ::getenv(options.keyVariable.empty() ? preset->keyVariable : options.keyVariable.c_str());
  }

  std::string hideKey(std::string text) const {
    std::string secret = key() ? key() : "";
    if (!secret.empty())
      for (size_t at = 0; (at = text.find(secret, at)) != std::string::npos; at += 3)
        text.replace(at, secret.size(), "***");
    return text;
  }

  /// An agent's JSON to its answer.
  Error readAgentAnswer(ModelReply &reply) const {
    auto json = parseUntrustedJson(StringRef(reply.text).trim(), words[0] + "'s answer");
    if (!json)
      return json.takeError();
    if (json->is_object() && json->contains("is_error") && (*json)["is_error"] == true)
      return createStringError(words[0] +
                               " reports an error: " + StringRef(stringAt(*json, preset->answerKey)).take_front(300));
    const nlohmann::json usage = objectAt(*json, "usage");
    int64_t cached = countAt(usage, "cache_read_input_tokens");
    reply.usage = {countAt(usage, "input_tokens") + cached + countAt(usage, "cache_creation_input_tokens"), cached,
                   countAt(usage, "output_tokens"), 0};
    if (!json->is_object() || !json->contains(preset->answerKey))
      return createStringError(words[0] + "'s answer has no \"" + preset->answerKey + "\"");
    reply.text = stringAt(*json, preset->answerKey);
    return Error::success();
  }

  Error runCommand(StringRef input, std::string &output, std::string &errors) const;

  std::vector<std::string> words;
  const Preset *preset;
  CommandOptions options;
};

Error ExecModel::runCommand(StringRef input, std::string &output, std::string &errors) const {
  Descriptor ends[3][2]; // stdin, stdout, stderr: (read, write)
  for (auto &pipe : ends) {
    int numbers[2];
    if (::pipe2(numbers, O_CLOEXEC) != 0)
      return createStringError(Twine("cannot make a pipe: ") + std::strerror(errno));
    pipe[0].number = numbers[0];
    pipe[1].number = numbers[1];
  }
  toolchain::ProcessRequest request;
  request.arguments = words;
  request.descriptors = {{ends[0][0].number, 0}, {ends[1][1].number, 1}, {ends[2][1].number, 2}};
  if (const char *secret = key())
    request.extraEnvironment.push_back(std::string(preset->keyVariable) + "=" + secret);
  auto child = toolchain::ChildProcess::start(request);
  if (!child)
    return child.takeError();
  ends[0][0].close();
  ends[1][1].close();
  ends[2][1].close();
  ::fcntl(ends[0][1].number, F_SETFL, O_NONBLOCK);
  NoPipeSignal quiet;
  double deadline = toolchain::monotonicSeconds() + options.seconds;
  while (ends[1][0].number >= 0 || ends[2][0].number >= 0) {
    if (options.stop && *options.stop)
      return createStringError("interrupted while waiting for " + words[0]);
    if (toolchain::monotonicSeconds() > deadline)
      return createStringError(words[0] + " gave no answer within " + Twine(int(options.seconds)) + " s");
    pollfd fds[3] = {{ends[0][1].number, POLLOUT, 0}, {ends[1][0].number, POLLIN, 0}, {ends[2][0].number, POLLIN, 0}};
    if (::poll(fds, 3, 200) < 0 && errno != EINTR)
      return createStringError(Twine("cannot wait for ") + words[0] + ": " + std::strerror(errno));
    if (fds[0].revents) {
      ssize_t n = ::write(ends[0][1].number, input.data(), input.size());
      input = input.drop_front(n > 0 ? n : 0);
      // A command that reads no further has what it needs.
      if (input.empty() || (n < 0 && errno != EAGAIN && errno != EINTR))
        ends[0][1].close();
    }
    for (int i = 1; i < 3; ++i) {
      if (!fds[i].revents)
        continue;
      char buffer[65536];
      ssize_t n = ::read(ends[i][0].number, buffer, sizeof(buffer));
      if (n < 0 && errno == EINTR)
        continue;
      if (n <= 0) {
        ends[i][0].close();
        continue;
      }
      std::string &text = i == 1 ? output : errors;
      text.append(buffer, n);
      if (i == 1 && text.size() > maxOutput)
        return createStringError(words[0] + "'s answer is longer than " + Twine(maxOutput) + " bytes");
      if (i == 2 && text.size() > 8192)
        text.erase(0, text.size() - 4096); // the end says what went wrong
    }
  }
  toolchain::ProcessResult result;
  if (!child->waitFor(10, result))
    return createStringError(words[0] + " closed its output and does not end");
  if (result.end == toolchain::ProcessResult::End::Exited && result.code == 0)
    return Error::success();
  errors = hideKey(std::move(errors));
  StringRef said = StringRef(errors).rtrim();
  said = said.drop_front(said.rfind('\n') == StringRef::npos ? 0 : said.rfind('\n') + 1).take_front(300);
  return createStringError(words[0] +
                           (result.end == toolchain::ProcessResult::End::Exited ? " exits with " : " dies of signal ") +
                           Twine(result.code) + (said.empty() ? "" : ": ") + said);
}

} // namespace

Expected<std::unique_ptr<Model>> createCommandModel(StringRef command, const CommandOptions &options) {
  for (const Preset &preset : presets)
    if (command == preset.name)
      return std::make_unique<ExecModel>(std::vector<std::string>(preset.arguments.begin(), preset.arguments.end()),
                                         &preset, options);
  auto words = splitCommand(command);
  if (!words)
    return words.takeError();
  return std::make_unique<ExecModel>(std::move(*words), nullptr, options);
}

} // namespace kgen::propose
