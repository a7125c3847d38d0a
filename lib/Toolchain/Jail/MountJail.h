//===- MountJail.h - A file tree that holds only what is allowed ----------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Toolchain/Jail.h"

namespace kgen::toolchain {

/// Paths, made ready for enterMountJail.
struct MountPlan {
  struct Entry {
    std::string path;
    std::string link; ///< a symbolic link with this target stands there; empty: bind the path itself
    bool folder = false, writable = false;
  };
  std::vector<Entry> entries;
};

/// Coarser than Landlock: /usr as a whole stays readable, because programs find each other through links.
MountPlan planMounts(const FileRules &files);

/// New user, network and IPC namespaces, and with PLAN a mount namespace that holds its paths alone; null: no
/// change of mounts. 0 or errno. For a child between fork and exec, with one thread.
int enterNamespaces(const MountPlan *plan);

} // namespace kgen::toolchain
