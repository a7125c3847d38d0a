//===- Confine.h - What a kernel on the host may ask of the system --------===//
#pragma once

#include <string>

namespace kgen {

/// From here on this process may compute, use memory, make threads and talk over the descriptors that it
/// has: any system call that would open a file, start a program, reach another process or the network
/// kills it (SIGSYS). Cannot be undone. Returns how far it came: "system calls filtered", or why not.
std::string confineProcess();

} // namespace kgen
