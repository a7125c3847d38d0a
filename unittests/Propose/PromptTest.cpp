//===- PromptTest.cpp - What a model is told ------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "../../lib/Propose/PromptText.h"
#include "../Search/Fakes.h"
#include "kgen/Propose/ModelProposer.h"

#include "gtest/gtest.h"

using namespace kgen;
using namespace kgen::propose;
using namespace kgen::test;
using llvm::StringRef;

namespace {

ProposalContext makeContext() {
  ProposalContext context;
  context.slot = "round-02/seed-0";
  context.facts = convReluPoolFacts();
  context.graph = "module { the graph }";
  context.precision = "tf32";
  context.device = "cuda";
  context.baselines = {{"eager", 863}};
  context.genericUs = 20000;
  context.floorUs = 50;
  context.parent.id = "round-01/b00";
  context.parent.timeUs = 900;
  context.parent.diagnosis = "bound by shared memory";
  context.parent.cuda = "#ifndef KGEN_DEVICE_CUH\nlong header\n#endif // KGEN_DEVICE_CUH\nthe kernel\n";
  context.history.push_back({"round-01/b00",
                             "round-00/b00",
                             {"t", "Tiles.", ideas::IdeaCategory::Compute},
                             "s",
                             "",
                             "WRONG",
                             "out0[5] is 1, expected 2"});
  context.knownKernels.push_back({"a twin", "Use wmma.", "%d = lib", "", 12});
  return context;
}

TEST(Prompt, TheSystemPromptNamesEveryDirectiveKeyAndFunction) {
  std::string text = printSystemPrompt();
  // From TableGen, with the description and the example.
  for (const char *part :
       {"`transform.kgen.select`", "Finding no such op is a failure", "transform.kgen.fuse %d producers any",
        "transform.kgen.pipeline %d cp_async stages = 4", "`transform.kgen.split_k`"})
    EXPECT_NE(text.find(part), std::string::npos) << part;
  // From ScheduleKeys.td.
  EXPECT_NE(text.find("| `stages` | 2 to 8 |"), std::string::npos);
  EXPECT_NE(text.find("| `attention` |"), std::string::npos);
  // From the device header; its host half is not told.
  EXPECT_NE(text.find("void mma_m16n8k8_tf32(float (&d)[4], const unsigned (&a)[4], const unsigned (&b)[2]);"),
            std::string::npos);
  EXPECT_EQ(text.find("host_mma"), std::string::npos);
  EXPECT_EQ(text.find("{{"), std::string::npos);
  EXPECT_EQ(text.find("Interfaces:"), std::string::npos);
  // The ladder, in order; what a step has from the one before it is not told again.
  size_t last = 0;
  for (const char *part :
       {"# Worked examples", "kgen::mma_m16n8k16_f16(sum", "cp_async_wait<STAGES - 2>", "kgen::wgmma_f16<BN, 0, 1>",
        "kgen::wgmma_tf32<BN>", "\"dtype\": \"tf32\", \"dims\"", "tma_load_2d_multicast(b", "\"cluster\": [2, 1, 1]"}) {
    size_t at = text.find(part, last);
    ASSERT_NE(at, std::string::npos) << part;
    last = at;
  }
  size_t first = text.find("kgen::mma_m16n8k16_f16(sum");
  EXPECT_EQ(text.find("kgen::mma_m16n8k16_f16(sum", first + 1), std::string::npos);
  EXPECT_NE(text.find("// ... as above"), std::string::npos);
  EXPECT_EQ(text, printSystemPrompt());
}

TEST(Prompt, MachineCodeIsToldOfTheParentAlone) {
  ProposalContext context = makeContext();
  context.parent.diagnosis = "latency bound: waits. Machine code of k: 100 instructions";
  context.history[0].verdict = "PASS";
  context.history[0].diagnosis = "memory bound: full. Machine code of j: 200 instructions";
  std::string text = printUserPrompt(context, "ideas", nullptr, nullptr, 5);
  EXPECT_NE(text.find("Diagnosis: latency bound: waits. Machine code of k: 100 instructions"), std::string::npos);
  EXPECT_NE(text.find("; memory bound: full\n"), std::string::npos) << text;
  EXPECT_EQ(text.find("Machine code of j"), std::string::npos);
}

TEST(Prompt, TheQuestionComesLastAndHoldsWhatIsKnown) {
  ProposalContext context = makeContext();
  std::string text = printUserPrompt(context, "ideas", nullptr, nullptr, 5);
  size_t last = 0;
  for (const char *part : {"module { the graph }", "`in0` f32[100,3,224,224]", "sm_90a", "Precision class: tf32",
                           "floor for this is 50 us", "2e+04 us", "PyTorch (eager) takes 863 us", "%d = lib",
                           "round-01/b00 from round-00/b00 (compute): Tiles. [s] -> WRONG: out0[5] is 1, expected 2",
                           "It takes 900 us. Diagnosis: bound by shared memory.", "#include \"kgen_device.cuh\"",
                           "the kernel", "Give 5 new ideas", "\"ideas\""}) {
    size_t at = text.find(part, last);
    ASSERT_NE(at, std::string::npos) << part << "\n" << text;
    last = at;
  }
  EXPECT_EQ(text.find("long header"), std::string::npos);
  EXPECT_EQ(text.find("{{"), std::string::npos);
  // A later question of the same run starts with the same bytes.
  context.history.push_back(
      {"round-01/b01", "round-00/b00", {"u", "More.", ideas::IdeaCategory::Memory}, "", "", "PASS", "", 3});
  std::string later = printUserPrompt(context, "ideas", nullptr, nullptr, 5);
  size_t common = text.find("# The parent");
  EXPECT_EQ(later.substr(0, common - 1), text.substr(0, common - 1));
}

TEST(Prompt, AValueIsNotATemplate) {
  ProposalContext context = makeContext();
  context.parent.diagnosis = "{{schema}} {{#graph}}\n{{/parent_cuda}}";
  std::string text = printUserPrompt(context, "ideas", nullptr, nullptr, 5);
  EXPECT_NE(text.find("{{schema}} {{#graph}}\n{{/parent_cuda}}"), std::string::npos);
}

TEST(Prompt, SaysWhatIsWrittenInPlace) {
  ProposalContext context = makeContext();
  context.facts.inputs = {{"f32", {8, 4}}, {"f32", {4}}};
  context.facts.outputs = {{"f32", {4}}, {"f32", {8, 4}, 0}};
  std::string text = printUserPrompt(context, "ideas", nullptr, nullptr, 5);
  EXPECT_NE(text.find("`out0` f32[4], `out1` f32[8,4] (written in place of `in0`: it holds that one when the kernels "
                      "begin; no launch names `in0`)"),
            std::string::npos);
  auto again = parseRequest(printRequest(context, "ideas", nullptr, 5, nullptr));
  ASSERT_TRUE(bool(again)) << toString(again.takeError());
  EXPECT_EQ(printUserPrompt(again->context, "ideas", nullptr, nullptr, 5), text);
}

TEST(Prompt, ARecordedRequestGivesTheSamePrompt) {
  ProposalContext context = makeContext();
  Idea idea = {"k", "Do it.", ideas::IdeaCategory::Async, "dir:x"};
  FailedBranch failed;
  failed.id = "round-02/b01";
  failed.verdict = "REJECT";
  failed.detail = "why";
  failed.log = "log";
  failed.materialization.cuda = "code";
  failed.materialization.plan = "{}";
  std::string request = printRequest(context, "repair", &idea, 1, &failed);
  auto again = parseRequest(request);
  ASSERT_TRUE(bool(again)) << toString(again.takeError());
  EXPECT_EQ(again->stage, "repair");
  EXPECT_EQ(again->idea->by, "dir:x");
  EXPECT_EQ(printUserPrompt(again->context, "repair", &*again->idea, &*again->failed, again->n),
            printUserPrompt(context, "repair", &idea, &failed, 1));
  auto bad = parseRequest("{}");
  EXPECT_FALSE(bool(bad));
  llvm::consumeError(bad.takeError());
}

TEST(Prompt, LongCodeLosesItsMiddle) {
  std::string code;
  for (int i = 0; i < 10000; ++i)
    code += "line " + std::to_string(i) + "\n";
  std::string text = shortenCode(code, 3000);
  EXPECT_LT(text.size(), 3100u);
  EXPECT_TRUE(StringRef(text).starts_with("line 0\n"));
  EXPECT_TRUE(StringRef(text).ends_with("line 9999\n"));
  EXPECT_NE(text.find("lines left out"), std::string::npos);
}

} // namespace
