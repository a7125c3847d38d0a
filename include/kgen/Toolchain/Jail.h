//===- Jail.h - What a process may still reach ----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// No step here needs root. Files: Landlock, or else a mount namespace that
// holds nothing but what is allowed. Calls: a seccomp filter. Network: no
// socket can be made, and where user namespaces exist there is none to reach.
// A kernel may lack any of these; supportedIsolation() says which are there,
// by trying them in a child.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"

#include <memory>
#include <string>
#include <vector>

namespace kgen::toolchain {

/// What this system can take from a process.
struct Isolation {
  enum class Files { Open, MountNamespace, Landlock } files = Files::Open;
  int landlockVersion = 0;   ///< of the kernel's interface; 0: it has none
  bool calls = false;        ///< seccomp filters
  bool emptyNetwork = false; ///< a network namespace without interfaces can be had

  bool confinesFiles() const { return files != Files::Open; }
  bool closesNetwork() const { return calls || emptyNetwork; }
};

/// Measured once, in children that try to break out. KGEN_ISOLATION=landlock, mounts or none leaves
/// out the mechanisms above the one it names (none: all of them).
const Isolation &supportedIsolation();

/// "files landlock v7, calls seccomp, network none".
std::string describeIsolation(const Isolation &isolation);

/// The one sentence for whoever may not compile foreign text here.
std::string explainUnconfinedCompile(llvm::StringRef whose);

/// Files and folders (with all below) that stay within reach. Names that do not exist are skipped.
struct FileRules {
  std::vector<std::string> read;
  std::vector<std::string> execute; ///< read as well
  std::vector<std::string> write; ///< folders: read, write, create and remove plain files; devices: read, write, ioctl
};

/// Which system calls stay.
enum class CallRules {
  All,
  /// All but those that reach other processes, the network, mounts, keys or the kernel's configuration.
  Program,
  /// The same, and no new programs.
  NoPrograms,
  /// The same, and no new processes.
  OneProcess,
  /// Only what computing needs: memory, threads, clocks, descriptors that are open. Any other call ends the process.
  Compute,
  /// Only what a kernel needs on memory that is there: to read a clock, to grow the heap, to print to descriptor 1, to
  /// end or abort. Any other call ends the process.
  Kernel
};

/// Rules for a child, made ready so that entering them is safe between fork and exec.
class Jail {
public:
  Jail(const FileRules &files, CallRules calls);
  ~Jail();
  Jail(const Jail &) = delete;
  Jail &operator=(const Jail &) = delete;

  /// Takes all that supportedIsolation() names; 0, or the errno of a step that failed all the same. Not
  /// undone on failure: exit then.
  int enterInChild() const;

private:
  struct Parts;
  std::unique_ptr<Parts> parts;
};

/// The same for the running process, which keeps its mounts and its network namespace. Comes on top of a jail
/// that it may be in. Empty, or what failed; what the kernel does not have is no failure.
std::string confineThisProcess(const FileRules &files, CallRules calls);

/// The part of it about calls; 0 or errno.
int confineCalls(CallRules calls);

} // namespace kgen::toolchain
