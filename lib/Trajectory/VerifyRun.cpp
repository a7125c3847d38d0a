//===- VerifyRun.cpp - Is a run folder what its journal says? -------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Propose/Proposer.h"
#include "kgen/Trajectory/CorruptRun.h"
#include "kgen/Trajectory/RunFolder.h"

#include "llvm/ADT/Twine.h"

#include <cctype>

using namespace llvm;

namespace kgen::trajectory {

Error RunFolder::verifyFiles() const {
  auto corrupt = [&](const std::string &file, const char *why) {
    return make_error<CorruptRun>(file, Twine(" ") + why);
  };
  for (const BranchRecord &branch : branches) {
    for (const auto &[name, hash] : branch.files) {
      std::string file = at(branch.id) + "/" + name;
      // What kgen-eval left is not waited for, and an archive may leave PTX out.
      bool adopted = name == "compile.log" || name == "kernel.ptx";
      if (adopted && !fs.exists(file))
        continue;
      auto text = fs.read(file);
      if (!text)
        return corrupt(file, ("cannot be read: " + toString(text.takeError())).c_str());
      if (adopted && text->empty())
        continue;
      if (propose::hashText(*text) != hash)
        return corrupt(file, "differs from what was written: its hash is not the journal's");
    }
    if (branch.measurement.empty())
      continue;
    std::string file = at(branch.id) + "/measurement.json";
    if (!fs.exists(file))
      continue; // written again from the journal
    auto text = fs.read(file);
    if (!text)
      return text.takeError();
    if (!text->empty() && *text != branch.measurement)
      return corrupt(file, "differs from the journal's text; remove it to have it written again");
  }
  return Error::success();
}

void RunFolder::removeTemporaries() {
  auto sweep = [&](const std::string &folder) {
    for (const std::string &name : fs.list(folder)) {
      size_t dot = name.rfind(".tmp");
      StringRef rest = dot == std::string::npos ? StringRef() : StringRef(name).drop_front(dot + 4);
      if (!rest.empty() && rest.find_if_not([](char c) { return isdigit((unsigned char)c); }) == StringRef::npos)
        consumeError(fs.removeFile(folder + "/" + name));
    }
  };
  sweep(path);
  sweep(at("replies"));
  // Not by the journal: a branch that was never recorded may have left some.
  for (const std::string &round : fs.list(path))
    if (StringRef(round).starts_with("round-"))
      for (const std::string &branch : fs.list(at(round)))
        sweep(at(round) + "/" + branch);
}

} // namespace kgen::trajectory
