//===- Retry.cpp - When to ask a provider again ---------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/Http.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <random>

using namespace llvm;

namespace kgen::propose {
namespace {

constexpr int maxRetries = 5;
constexpr double maxWait = 120;

bool isTransient(int status) { return status == 408 || status == 409 || status == 429 || status >= 500; }

/// A spent quota answers 429 too, and stays spent. Anthropic names no code, but leaves out when to
/// come again.
bool isQuota(const HttpReply &reply) {
  if (reply.status != 429)
    return false;
  StringRef body = reply.body;
  bool anthropic = body.contains("\"type\"") && body.contains("\"rate_limit_error\"");
  return body.contains("insufficient_quota") ||
         (anthropic && !reply.headers.count("retry-after") && !reply.headers.count("retry-after-ms"));
}

/// A gateway that answers 200 with a page of its own instead of the provider's JSON object.
bool isPage(const HttpReply &reply) { return reply.status == 200 && !StringRef(reply.body).ltrim().starts_with("{"); }

/// Seconds in Gemini's error details, `"retryDelay": "17s"`; negative when there are none.
double findRetryDelay(StringRef body) {
  StringRef rest = body.split("\"retryDelay\"").second.ltrim();
  if (!rest.consume_front(":"))
    return -1;
  rest = rest.ltrim();
  double value;
  if (!rest.consume_front("\"") || rest.take_until([](char c) { return c == 's'; }).getAsDouble(value))
    return -1;
  return value;
}

/// Seconds that the provider asks for; negative when it does not, or asks for nonsense.
double askedWait(const HttpReply &reply) {
  double value;
  if (auto it = reply.headers.find("retry-after-ms"); it != reply.headers.end())
    if (!StringRef(it->second).getAsDouble(value) && std::isfinite(value))
      return value / 1000;
  if (auto it = reply.headers.find("retry-after"); it != reply.headers.end()) {
    if (!StringRef(it->second).getAsDouble(value) && std::isfinite(value))
      return value;
    // Or a date: "Wed, 21 Oct 2026 07:28:00 GMT".
    std::tm date = {};
    if (strptime(it->second.c_str(), "%a, %d %b %Y %H:%M:%S GMT", &date))
      return std::max(0.0, std::difftime(timegm(&date), std::time(nullptr)));
  }
  return findRetryDelay(reply.body);
}

} // namespace

Expected<HttpReply> postWithRetry(HttpClient &client, Sleeper &sleeper, StringRef url,
                                  const std::vector<std::string> &headers, StringRef body,
                                  function_ref<void(int, StringRef, double)> pausing) {
  if (Error error = checkProviderUrl(url))
    return std::move(error);
  std::minstd_rand random(std::random_device{}());
  for (int attempt = 0;; ++attempt) {
    auto reply = client.post(url, headers, body);
    bool again = !reply || (isTransient(reply->status) && !isQuota(*reply)) || isPage(*reply);
    if (!again || attempt == maxRetries || client.isStopped())
      return reply;
    double wait = reply ? askedWait(*reply) : -1;
    if (wait < 0) {
      double jitter = std::uniform_real_distribution<double>(0.5, 1.0)(random);
      wait = std::ldexp(1.0, attempt) * jitter;
    }
    wait = std::min(wait, maxWait);
    std::string why = !reply           ? "no connection"
                      : isPage(*reply) ? "it answers with a page that is no JSON"
                                       : "it answers " + std::to_string(reply->status);
    if (!reply)
      consumeError(reply.takeError());
    if (pausing)
      pausing(attempt + 1, why, wait);
    if (!sleeper.sleep(wait))
      return createStringError("interrupted while waiting for the provider");
  }
}

} // namespace kgen::propose
