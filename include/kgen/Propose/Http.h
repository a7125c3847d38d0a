//===- Http.h - One POST, as a provider sees it ---------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <atomic>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace kgen::propose {

struct HttpReply {
  int status = 0;
  std::map<std::string, std::string> headers; ///< names in lower case
  std::string body;
};

struct HttpLimits {
  double connectSeconds = 10;
  double totalSeconds = 600;
  size_t bodyBytes = 16 << 20;
  const std::atomic<bool> *stop = nullptr; ///< ends a request in progress
};

/// Every HTTP status is a value; an Error is a failure of the connection, or a body over the limit.
class HttpClient {
public:
  virtual ~HttpClient() = default;
  virtual llvm::Expected<HttpReply> post(llvm::StringRef url, const std::vector<std::string> &headers,
                                         llvm::StringRef body) = 0;
  /// Whether the user ended it all: then nothing is tried again.
  virtual bool isStopped() const { return false; }
};

/// Through libcurl: no redirects, HTTPS except on loopback, no proxy settings of the environment on
/// loopback.
std::unique_ptr<HttpClient> createCurlClient(const HttpLimits &limits = {});

/// Whether URL may be used: https anywhere, http on localhost, 127.0.0.0/8 and ::1 only. The Error
/// says which rule it breaks.
llvm::Error checkProviderUrl(llvm::StringRef url);

/// Waits between attempts; tests replace it.
class Sleeper {
public:
  virtual ~Sleeper() = default;
  /// False: the user ended the wait.
  virtual bool sleep(double seconds) = 0;
};
std::unique_ptr<Sleeper> createRealSleeper(const std::atomic<bool> *stop = nullptr);

/// Posts until an answer came or there is no use: 408, 409, 429, 5xx and failed connections are
/// tried again, and so is 200 with something that is no JSON object; at most five times, after the
/// time that `retry-after-ms`, `retry-after` (seconds or a date) or Gemini's `retryDelay` asks for (at
/// most 120 s), else after a growing time with jitter. 4xx and a spent quota are final. PAUSING is told before each
/// pause: which try ended, why it was not the last, and how many seconds the pause takes.
llvm::Expected<HttpReply> postWithRetry(HttpClient &client, Sleeper &sleeper, llvm::StringRef url,
                                        const std::vector<std::string> &headers, llvm::StringRef body,
                                        llvm::function_ref<void(int, llvm::StringRef, double)> pausing = nullptr);

} // namespace kgen::propose
