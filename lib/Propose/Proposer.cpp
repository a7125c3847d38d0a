//===- Proposer.cpp - Proposers by name -----------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/Proposer.h"
#include "ReplayProposer.h"
#include "kgen/Propose/CommandModels.h"
#include "kgen/Propose/ModelProposer.h"
#include "kgen/Propose/WireFormat.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/Twine.h"

#include <cstdlib>

using namespace llvm;

namespace kgen::propose {

static bool startsProposer(StringRef text) {
  StringRef name = text.take_until([](char c) { return c == ',' || c == '='; });
  if (name == "builtin")
    return true;
  StringRef kind = text.split(':').first;
  return text.contains(':') &&
         is_contained(ArrayRef<StringRef>{"replay", "openai", "chat", "anthropic", "gemini", "exec", "dir"}, kind);
}

Expected<std::vector<std::pair<std::string, double>>> splitProposers(StringRef spec) {
  std::vector<std::pair<std::string, double>> parts;
  while (!spec.empty()) {
    // A comma ends a proposer only where another one begins: commands and paths may hold commas.
    size_t end = spec.find(',');
    while (end != StringRef::npos && !startsProposer(spec.drop_front(end + 1)))
      end = spec.find(',', end + 1);
    StringRef part = spec.take_front(end);
    spec = end == StringRef::npos ? "" : spec.drop_front(end + 1);
    double weight = 1;
    auto [name, value] = part.rsplit('=');
    if (!value.empty() && !value.getAsDouble(weight)) {
      if (!(weight > 0 && weight <= 1e6))
        return createStringError("the weight of '" + name + "' is " + value + ", expected a number above 0");
      part = name;
    }
    parts.push_back({part.str(), weight});
  }
  return parts;
}

bool isTrustedProposer(StringRef spec) { return spec == "builtin"; }

/// The key in VARIABLE; checked, because it becomes part of a header.
static Expected<std::string> readKey(const std::string &variable) {
  const char *value = std::getenv(variable.c_str());
  std::string key = value ? value : "";
  for (unsigned char c : key)
    if (c <= 0x20 || c >= 0x7F)
      return createStringError("the key in " + variable + " holds a blank, a line break or a sign that is not ASCII");
  return key;
}

static Expected<std::unique_ptr<Model>> createProvider(StringRef kind, StringRef argument,
                                                       const ProposerOptions &options) {
  std::unique_ptr<WireFormat> format = createWireFormat(kind);
  ModelOptions model;
  model.effort = options.effort;
  model.temperature = options.temperature;
  if (options.maxTokens > 0)
    model.maxTokens = options.maxTokens;
  model.url = options.url;
  size_t at = std::min(argument.find("@http://"), argument.find("@https://"));
  if (at != StringRef::npos) {
    model.url = argument.drop_front(at + 1).str();
    argument = argument.take_front(at);
  }
  model.model = argument.str();
  if (argument.empty())
    return createStringError(kind + ": needs the name of a model");
  if (kind == "gemini" && argument.find_first_of("/?#% ") != StringRef::npos)
    return createStringError(Twine("'") + argument + "' is not the name of a model: it becomes part of an address");
  if (model.url.empty())
    model.url = format->getHost();
  // An address without a path is a server's.
  if (!StringRef(model.url).split("://").second.rtrim('/').contains('/'))
    model.url = StringRef(model.url).rtrim('/').str() + format->getPath(model);
  if (Error error = checkProviderUrl(model.url))
    return std::move(error);
  std::string variable = options.keyEnv.empty() ? format->getKeyVariable() : options.keyEnv;
  auto key = readKey(variable);
  if (!key)
    return key.takeError();
  // A local server needs no key; the others would only say 401.
  if (key->empty() && StringRef(model.url).starts_with("https"))
    return createStringError("no key in the environment variable " + variable +
                             "; set it, or name another one by --llm-key-env");
  model.key = std::move(*key);
  HttpLimits limits;
  if (options.timeoutSeconds > 0)
    limits.totalSeconds = options.timeoutSeconds;
  limits.stop = options.stop;
  return createHttpModel(kind, std::move(format), createCurlClient(limits), createRealSleeper(options.stop), model,
                         options.waiting);
}

static Expected<std::unique_ptr<Proposer>> createOne(StringRef spec, const ProposerOptions &options) {
  auto [kind, argument] = spec.split(':');
  if (spec == "builtin")
    return createBuiltinProposer();
  if (kind == "replay" && !argument.empty())
    return createReplayProposer(argument);
  Expected<std::unique_ptr<Model>> model = std::unique_ptr<Model>();
  if (kind == "exec" && !argument.empty()) {
    CommandOptions command;
    if (options.timeoutSeconds > 0)
      command.seconds = options.timeoutSeconds;
    command.keyVariable = options.keyEnv;
    command.stop = options.stop;
    model = createCommandModel(argument, command);
  } else if (kind == "dir" && !argument.empty()) {
    model = createFolderModel(argument.rtrim('/'), options.stop, options.waiting);
  } else if (createWireFormat(kind)) {
    model = createProvider(kind, argument, options);
  } else {
    return createStringError(Twine("unknown proposer '") + spec +
                             "', expected builtin, replay:RUN, openai:MODEL, chat:MODEL, anthropic:MODEL, "
                             "gemini:MODEL, exec:COMMAND or dir:FOLDER");
  }
  if (!model)
    return model.takeError();
  return createModelProposer(std::move(*model), options.log, options.waiting);
}

Expected<std::unique_ptr<Proposer>> createProposer(StringRef spec, const ProposerOptions &options) {
  auto parts = splitProposers(spec);
  if (!parts)
    return parts.takeError();
  if (parts->size() <= 1)
    return createOne(parts->empty() ? spec : StringRef(parts->front().first), options);
  std::vector<ProposerArm> arms;
  for (auto &[name, weight] : *parts) {
    if (any_of(arms, [&name = name](const ProposerArm &arm) { return arm.name == name; }))
      return createStringError("proposer '" + name + "' is named twice");
    auto proposer = createOne(name, options);
    if (!proposer)
      return proposer.takeError();
    arms.push_back({name, weight, std::move(*proposer)});
  }
  return createMixedProposer(std::move(arms));
}

} // namespace kgen::propose
