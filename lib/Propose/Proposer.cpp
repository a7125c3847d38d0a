//===- Proposer.cpp - Proposers by name -----------------------------------===//

#include "kgen/Propose/Proposer.h"
#include "ReplayProposer.h"
#include "kgen/Propose/ChatProposer.h"

#include "llvm/ADT/Twine.h"

#include <cstdlib>

using namespace llvm;

namespace kgen {

Expected<std::unique_ptr<Proposer>> createProposer(StringRef spec, const ProposerOptions &options) {
  auto [kind, argument] = spec.split(':');
  if (spec == "builtin")
    return createBuiltinProposer();
  if (kind == "replay" && !argument.empty())
    return createReplayProposer(argument);
  if (kind == "chat" && !argument.empty()) {
    if (Error error = checkProviderUrl(options.url))
      return std::move(error);
    ChatOptions chat;
    chat.model = argument.str();
    chat.url = options.url;
    if (const char *key = std::getenv(options.keyEnv.c_str()))
      chat.key = key;
    // A local server needs no key; the others would only say 401.
    if (chat.key.empty() && StringRef(chat.url).starts_with("https"))
      return createStringError("no key in the environment variable " + options.keyEnv +
                               "; set it, or name another one by --llm-key-env");
    if (StringRef(chat.key).find_first_of("\r\n") != StringRef::npos)
      return createStringError("the key in " + options.keyEnv + " holds a line break");
    return createChatProposer(createCurlClient(), createRealSleeper(), chat);
  }
  return createStringError(Twine("unknown proposer '") + spec + "', expected builtin, replay:RUN or chat:MODEL");
}

} // namespace kgen
