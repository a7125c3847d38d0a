//===- LoopbackServer.h - A provider on 127.0.0.1 -------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <arpa/inet.h>
#include <atomic>
#include <functional>
#include <netinet/in.h>
#include <string>
#include <sys/socket.h>
#include <thread>
#include <unistd.h>
#include <vector>

namespace kgen::test {

/// Answers each POST with what ANSWER makes of it: the whole HTTP response, as text.
class LoopbackServer {
public:
  /// REQUEST is headers and body as they came.
  using Answer = std::function<std::string(int number, const std::string &request)>;

  explicit LoopbackServer(Answer answer) : answer(std::move(answer)) {
    listener = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    sockaddr_in address = {};
    address.sin_family = AF_INET;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    ::bind(listener, reinterpret_cast<sockaddr *>(&address), sizeof(address));
    ::listen(listener, 8);
    socklen_t length = sizeof(address);
    ::getsockname(listener, reinterpret_cast<sockaddr *>(&address), &length);
    port = ntohs(address.sin_port);
    thread = std::thread([this] { serve(); });
  }
  ~LoopbackServer() {
    ::shutdown(listener, SHUT_RDWR);
    thread.join();
    ::close(listener);
  }

  std::string host() const { return "http://127.0.0.1:" + std::to_string(port); }
  std::string url() const { return host() + "/v1/chat/completions"; }

  std::vector<std::string> requests;

private:
  void serve() {
    for (int number = 0;; ++number) {
      int connection = ::accept(listener, nullptr, nullptr);
      if (connection < 0)
        return;
      std::string request;
      char buffer[4096];
      size_t expected = std::string::npos;
      while (request.size() < expected) {
        ssize_t n = ::recv(connection, buffer, sizeof(buffer), 0);
        if (n <= 0)
          break;
        request.append(buffer, n);
        size_t end = request.find("\r\n\r\n");
        size_t at = request.find("Content-Length: ");
        if (end != std::string::npos && at != std::string::npos)
          expected = end + 4 + std::stoul(request.substr(at + 16));
      }
      requests.push_back(request);
      std::string reply = answer(number, request);
      for (size_t sent = 0; sent < reply.size();) {
        ssize_t n = ::send(connection, reply.data() + sent, reply.size() - sent, MSG_NOSIGNAL);
        if (n <= 0)
          break;
        sent += n;
      }
      ::close(connection);
    }
  }

  Answer answer;
  int listener;
  int port;
  std::thread thread;
};

inline std::string httpResponse(int status, const std::string &body, const std::string &headers = "") {
  return "HTTP/1.1 " + std::to_string(status) + " X\r\nContent-Type: application/json\r\nConnection: close\r\n" +
         headers + "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

} // namespace kgen::test
