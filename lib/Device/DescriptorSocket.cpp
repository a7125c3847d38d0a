//===- DescriptorSocket.cpp - Lines and descriptors over a socket ---------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Device/DescriptorSocket.h"

#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>

using namespace kgen;

bool kgen::device::sendLine(int socket, const std::string &text, int descriptor) {
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))] = {};
  for (size_t at = 0; at < text.size();) {
    iovec bytes = {const_cast<char *>(text.data()) + at, text.size() - at};
    msghdr message = {};
    message.msg_iov = &bytes;
    message.msg_iovlen = 1;
    if (descriptor >= 0 && at == 0) {
      message.msg_control = control;
      message.msg_controllen = sizeof control;
      cmsghdr *header = CMSG_FIRSTHDR(&message);
      header->cmsg_level = SOL_SOCKET;
      header->cmsg_type = SCM_RIGHTS;
      header->cmsg_len = CMSG_LEN(sizeof(int));
      memcpy(CMSG_DATA(header), &descriptor, sizeof(int));
    }
    ssize_t put = sendmsg(socket, &message, MSG_NOSIGNAL);
    if (put < 0 && errno == EINTR)
      continue;
    if (put <= 0)
      return false;
    at += size_t(put);
  }
  return true;
}

ssize_t kgen::device::receiveBytes(int socket, char *to, size_t room, int &descriptor) {
  iovec bytes = {to, room};
  alignas(cmsghdr) char control[CMSG_SPACE(sizeof(int))];
  msghdr message = {};
  message.msg_iov = &bytes;
  message.msg_iovlen = 1;
  message.msg_control = control;
  message.msg_controllen = sizeof control;
  ssize_t got = recvmsg(socket, &message, MSG_CMSG_CLOEXEC);
  for (cmsghdr *h = got > 0 ? CMSG_FIRSTHDR(&message) : nullptr; h; h = CMSG_NXTHDR(&message, h))
    if (h->cmsg_level == SOL_SOCKET && h->cmsg_type == SCM_RIGHTS)
      memcpy(&descriptor, CMSG_DATA(h), sizeof(int));
  return got;
}

bool kgen::device::receiveLine(int socket, std::string &line, int &descriptor) {
  line.clear();
  for (;;) {
    char c;
    int came = -1;
    ssize_t got = receiveBytes(socket, &c, 1, came);
    if (got < 0 && errno == EINTR)
      continue;
    if (got <= 0)
      return false;
    if (came >= 0) {
      if (descriptor >= 0)
        close(descriptor);
      descriptor = came;
    }
    if (c == '\n')
      return true;
    line += c;
  }
}
