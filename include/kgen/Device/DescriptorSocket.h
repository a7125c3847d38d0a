//===- DescriptorSocket.h - Lines and descriptors over a socket -----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include <string>
#include <sys/types.h>

namespace kgen::device {

/// Writes all of TEXT to SOCKET, a Unix socket, DESCRIPTOR with its first byte unless it is -1. False: nobody reads.
bool sendLine(int socket, const std::string &text, int descriptor);

/// recv() of at most ROOM bytes; a descriptor that came with them is put into DESCRIPTOR, which is the caller's then.
ssize_t receiveBytes(int socket, char *to, size_t room, int &descriptor);

/// Reads LINE, without its end; a descriptor that came with it is put into DESCRIPTOR, whose old one is closed. False:
/// nobody writes any more.
bool receiveLine(int socket, std::string &line, int &descriptor);

} // namespace kgen::device
