//===- CurlClient.cpp - libcurl stays in this file ------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Loaded at run time: only a chat provider needs it, and a release binary must
// start on machines that do not have it.
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/Http.h"

#include "llvm/ADT/Twine.h"

#include <curl/curl.h>

#include <algorithm>
#include <chrono>
#include <dlfcn.h>
#include <thread>

using namespace llvm;

namespace kgen::propose {
namespace {

/// "localhost" of "http://localhost:80/x"; empty when there is none.
StringRef hostOf(StringRef url) {
  StringRef rest = url.split("://").second;
  rest = rest.take_until([](char c) { return c == '/' || c == '?' || c == '#'; });
  if (rest.consume_front("["))
    return rest.take_until([](char c) { return c == ']'; });
  return rest.take_until([](char c) { return c == ':'; });
}

bool isLoopback(StringRef url) {
  StringRef host = hostOf(url);
  if (host == "localhost" || host == "::1")
    return true;
  // 127.a.b.c, and nothing like 127.evil.example.
  unsigned octet;
  int count = 0;
  while (!host.empty()) {
    auto [part, rest] = host.split('.');
    if (part.getAsInteger(10, octet) || octet > 255 || (count == 0 && octet != 127))
      return false;
    host = rest;
    ++count;
  }
  return count == 4;
}

struct Body {
  std::string text;
  size_t limit;
  bool tooLong = false;
};

size_t takeBody(char *data, size_t size, size_t count, void *user) {
  Body &body = *static_cast<Body *>(user);
  if (body.text.size() + size * count > body.limit) {
    body.tooLong = true;
    return 0;
  }
  body.text.append(data, size * count);
  return size * count;
}

size_t takeHeader(char *data, size_t size, size_t count, void *user) {
  auto &headers = *static_cast<std::map<std::string, std::string> *>(user);
  auto [name, value] = StringRef(data, size * count).split(':');
  if (!value.empty() && headers.size() < 256)
    headers[name.trim().lower()] = value.trim().str();
  return size * count;
}

/// The functions of libcurl that are used here.
struct CurlLibrary {
  decltype(&::curl_global_init) globalInit = nullptr;
  decltype(&::curl_easy_init) init = nullptr;
  decltype(&::curl_easy_setopt) setopt = nullptr;
  decltype(&::curl_easy_perform) perform = nullptr;
  decltype(&::curl_easy_getinfo) getinfo = nullptr;
  decltype(&::curl_easy_cleanup) cleanup = nullptr;
  decltype(&::curl_easy_strerror) strerror = nullptr;
  decltype(&::curl_slist_append) append = nullptr;
  decltype(&::curl_slist_free_all) freeAll = nullptr;

  bool load() {
    void *handle = nullptr;
    for (const char *name : {"libcurl.so.4", "libcurl-gnutls.so.4"})
      if (!handle)
        handle = dlopen(name, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
      return false;
    auto find = [&](auto &function, const char *name) {
      function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
      return function != nullptr;
    };
    return find(globalInit, "curl_global_init") && find(init, "curl_easy_init") && find(setopt, "curl_easy_setopt") &&
           find(perform, "curl_easy_perform") && find(getinfo, "curl_easy_getinfo") &&
           find(cleanup, "curl_easy_cleanup") && find(strerror, "curl_easy_strerror") &&
           find(append, "curl_slist_append") && find(freeAll, "curl_slist_free_all") &&
           globalInit(CURL_GLOBAL_DEFAULT) == CURLE_OK;
  }
};

/// Null when there is no libcurl.
const CurlLibrary *findCurl() {
  static CurlLibrary library;
  static const bool loaded = library.load();
  return loaded ? &library : nullptr;
}

/// Called several times a second; not 0 ends the transfer.
int watchStop(void *user, curl_off_t, curl_off_t, curl_off_t, curl_off_t) {
  auto *stop = static_cast<const std::atomic<bool> *>(user);
  return stop && *stop;
}

class CurlClient : public HttpClient {
public:
  explicit CurlClient(const HttpLimits &limits) : limits(limits) {}

  bool isStopped() const override { return limits.stop && *limits.stop; }

  Expected<HttpReply> post(StringRef url, const std::vector<std::string> &headers, StringRef body) override {
    if (Error error = checkProviderUrl(url))
      return std::move(error);
    const CurlLibrary *library = findCurl();
    if (!library)
      return createStringError("talking to a provider needs libcurl.so.4, which is not installed");
    CURL *curl = library->init();
    if (!curl)
      return createStringError("libcurl cannot be initialised");
    HttpReply reply;
    Body received{"", limits.bodyBytes};
    curl_slist *list = nullptr;
    for (const std::string &header : headers)
      list = library->append(list, header.c_str());
    // A long body must not wait for "100 Continue", which simple servers never send.
    list = library->append(list, "Expect:");
    // setopt is variadic: flags are long, and nothing converts them.
    std::string address = url.str();
    char message[CURL_ERROR_SIZE] = {};
    library->setopt(curl, CURLOPT_URL, address.c_str());
    library->setopt(curl, CURLOPT_PROTOCOLS_STR, "http,https");
    library->setopt(curl, CURLOPT_FOLLOWLOCATION, 0L);
    library->setopt(curl, CURLOPT_NOSIGNAL, 1L);
    library->setopt(curl, CURLOPT_CONNECTTIMEOUT_MS, long(limits.connectSeconds * 1000));
    library->setopt(curl, CURLOPT_TIMEOUT_MS, long(limits.totalSeconds * 1000));
    library->setopt(curl, CURLOPT_POST, 1L);
    library->setopt(curl, CURLOPT_POSTFIELDS, body.data());
    library->setopt(curl, CURLOPT_POSTFIELDSIZE_LARGE, curl_off_t(body.size()));
    library->setopt(curl, CURLOPT_HTTPHEADER, list);
    library->setopt(curl, CURLOPT_WRITEFUNCTION, takeBody);
    library->setopt(curl, CURLOPT_WRITEDATA, &received);
    library->setopt(curl, CURLOPT_HEADERFUNCTION, takeHeader);
    library->setopt(curl, CURLOPT_HEADERDATA, &reply.headers);
    library->setopt(curl, CURLOPT_ERRORBUFFER, message);
    library->setopt(curl, CURLOPT_NOPROGRESS, 0L);
    library->setopt(curl, CURLOPT_XFERINFOFUNCTION, watchStop);
    library->setopt(curl, CURLOPT_XFERINFODATA, limits.stop);
    if (isLoopback(url))
      library->setopt(curl, CURLOPT_PROXY, "");
    CURLcode code = library->perform(curl);
    long status = 0;
    library->getinfo(curl, CURLINFO_RESPONSE_CODE, &status);
    library->freeAll(list);
    library->cleanup(curl);
    if (received.tooLong)
      return createStringError("the provider's answer is longer than " + Twine(limits.bodyBytes) + " bytes");
    if (code == CURLE_ABORTED_BY_CALLBACK)
      return createStringError("interrupted while waiting for " + hostOf(url));
    if (code != CURLE_OK)
      return createStringError("cannot reach " + Twine(hostOf(url)) + ": " +
                               (message[0] ? message : library->strerror(code)));
    reply.status = int(status);
    reply.body = std::move(received.text);
    return reply;
  }

private:
  HttpLimits limits;
};

class RealSleeper : public Sleeper {
public:
  explicit RealSleeper(const std::atomic<bool> *stop) : stop(stop) {}

  bool sleep(double seconds) override {
    auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
    while (std::chrono::steady_clock::now() < end) {
      if (stop && *stop)
        return false;
      std::this_thread::sleep_for(std::chrono::duration<double>(std::min(0.2, seconds)));
    }
    return true;
  }

private:
  const std::atomic<bool> *stop;
};

} // namespace

Error checkProviderUrl(StringRef url) {
  // User names and backslashes are where parsers disagree on what the host is.
  if (url.find_first_of("@\\ \t\r\n") != StringRef::npos)
    return createStringError("a provider's URL holds no '@', backslash or space");
  if (hostOf(url).empty())
    return createStringError(Twine("'") + url + "' is not a URL");
  StringRef scheme = url.split("://").first;
  if (scheme == "https" || (scheme == "http" && isLoopback(url)))
    return Error::success();
  return createStringError(Twine("'") + url + "' would send prompts in clear: expected https, or http on loopback");
}

std::unique_ptr<HttpClient> createCurlClient(const HttpLimits &limits) { return std::make_unique<CurlClient>(limits); }
std::unique_ptr<Sleeper> createRealSleeper(const std::atomic<bool> *stop) {
  return std::make_unique<RealSleeper>(stop);
}

} // namespace kgen::propose
