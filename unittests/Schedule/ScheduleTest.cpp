//===- ScheduleTest.cpp - The table of schedule keys ----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Schedule/Schedule.h"
#include "kgen/Schedule/Schedules.h"

#include "llvm/ADT/STLExtras.h"

#include "gtest/gtest.h"

#include <set>

using namespace kgen::schedule;

namespace {

/// "mma = wgmma; tile = [128, 256, 64]"
Settings read(llvm::StringRef text) {
  Settings settings;
  llvm::SmallVector<llvm::StringRef> parts;
  text.split(parts, ';', -1, /*KeepEmpty=*/false);
  for (llvm::StringRef part : parts) {
    auto [key, value] = part.split('=');
    settings[key.trim().str()] = parseValue(value);
  }
  return settings;
}

TEST(Schedule, TheTableIsWhole) {
  std::set<std::string> names;
  for (const Key &key : keys()) {
    EXPECT_TRUE(names.insert(key.name.str()).second) << key.name.str() << " is declared twice";
    EXPECT_FALSE(key.taken.empty()) << key.name.str() << " is taken by no variant";
    EXPECT_FALSE(key.doc.empty()) << key.name.str();
    EXPECT_TRUE(llvm::is_sorted(key.neighbours)) << key.name.str();
    for (const Taken &taken : key.taken) {
      EXPECT_EQ(taken.type.kind, key.type.kind) << key.name.str();
      for (llvm::StringRef open : taken.open) {
        const Variant &variant = variants()[taken.variant];
        EXPECT_EQ(findFault(variant.family, {{key.name.str(), parseValue(open)}}, variant.name), "");
      }
    }
  }
  for (const Directive &directive : directives())
    EXPECT_FALSE(keysOf(directive).empty()) << directive.mnemonic.str() << " sets no key";
  for (const Variant &variant : variants())
    EXPECT_TRUE(llvm::any_of(families(), [&](const Family &family) { return family.name == variant.family; }));
}

TEST(Schedule, ValuesAreReadAndPrinted) {
  EXPECT_EQ(std::get<int64_t>(parseValue("-4")), -4);
  EXPECT_EQ(std::get<std::vector<int64_t>>(parseValue("[128, 96,32]")), (std::vector<int64_t>{128, 96, 32}));
  EXPECT_EQ(std::get<std::string>(parseValue("cp_async")), "cp_async");
  EXPECT_EQ(std::get<std::string>(parseValue("[128, x]")), "[128, x]");
  EXPECT_EQ(printValue(parseValue("[128, 96, 32]")), "[128, 96, 32]");
}

TEST(Schedule, ValuesOutsideOfAKeyAreNamed) {
  EXPECT_EQ(findValueFault("stages", int64_t(8)), "");
  EXPECT_EQ(findValueFault("stages", int64_t(9)), "schedule key 'stages' expected an integer from 2 to 8, found 9");
  EXPECT_EQ(findValueFault("vec", int64_t(3)), "schedule key 'vec' expected one of 1, 2, 4, 8, 16, found 3");
  EXPECT_EQ(findValueFault("vec", std::string("4")), "schedule key 'vec' expected one of 1, 2, 4, 8, 16, found \"4\"");
  EXPECT_EQ(findValueFault("tile", std::vector<int64_t>{64}),
            "schedule key 'tile' expected a list of 2 to 3 integers, found 1 integers");
  EXPECT_EQ(findValueFault("reg_split", std::vector<int64_t>{8, 200}),
            "schedule key 'reg_split' expected integers from 24 to 256, found 8");
  EXPECT_EQ(findValueFault("mma", std::string("cores")),
            "schedule key 'mma' expected one of none, wmma, mma_sync, wgmma, found \"cores\"");
  EXPECT_EQ(findValueFault("swizzle", int64_t(0)).find("unknown schedule key 'swizzle', expected one of tile, "), 0u);
}

TEST(Schedule, AKeyThatAVariantDoesNotTakeIsNamedWithWhatItTakes) {
  EXPECT_EQ(findFault("gemm", read("mma = wgmma; overlap = on; cluster = 2")), "");
  EXPECT_EQ(findFault("attention", read("mma = none; stages = 2")),
            "schedule key 'stages' is not taken by attention/simt, which takes mma, reduce, tile");
  EXPECT_EQ(findFault("pool", read("unroll = 4")),
            "schedule key 'unroll' is not taken by family pool, which takes block, coarsen, resident");
  EXPECT_EQ(findFault("pointwise", read("unroll = 4"))
                .find("schedule key 'unroll' is not taken by pointwise/packs, which takes block, "),
            0u);
  EXPECT_EQ(findFault("generic", read("tile = [64, 64, 8]")),
            "schedule key 'tile' is not taken by family generic, which takes no keys");
  EXPECT_EQ(findFault("attention", read("vec = 4")).find("schedule key 'vec' is not taken by family attention, which"),
            0u);
  // Two keys of variants that exclude each other.
  EXPECT_EQ(
      findFault("gemm", read("smem_pad = 8; cluster = 2"))
          .find("schedule key 'cluster' is not taken by gemm/wmma and gemm/mma_sync, which take dtype, min_blocks"),
      0u);
  // Several values of one key, by variant.
  EXPECT_EQ(findFault("row", read("resident = none; split_rows = 4; lead = 2"))
                .find("schedule key 'lead' is not taken by row/split, which takes cache_hint"),
            0u);
  EXPECT_EQ(
      findFault("conv", read("mma = wgmma; blocks = 132; tile = [128, 64, 32]")),
      "schedule key 'blocks' is not taken by conv/implicit and conv/halo, which take consumers, depths, dtype, im2col, "
      "l2_promotion, min_blocks, mma, mma_inflight, pipeline, producer_warps, split_k, stages, tile");
  EXPECT_EQ(findFault("conv", read("mma = wmma")),
            "schedule key 'mma' of family conv expected one of none, mma_sync, wgmma, found \"wmma\"");
  EXPECT_EQ(findFault("gemm", read("mma = mma_sync; pipeline = tma")),
            "schedule key 'pipeline' of gemm/mma_sync and gemm/stream expected cp_async, found \"tma\"");
  EXPECT_EQ(findFault("warp", {}).find("unknown kernel family 'warp', expected one of generic, "), 0u);
  // A parameter without a value yet is a key all the same.
  EXPECT_EQ(findFault("attention", {{"vec", std::nullopt}}).find("schedule key 'vec' is not taken"), 0u);
}

TEST(Schedule, AValueThatNoVariantTakesIsNamedWithWhatEachTakes) {
  EXPECT_EQ(
      findFault("conv", read("mma = mma_sync; tile = [128, 40, 32]")),
      "schedule key 'tile' of conv/mma_sync expected [a multiple of 4 from 4 to 4096, a multiple of 16 from 16 to "
      "4096, a multiple of 8 from 8 to 4096], found [128, 40, 32]");
  EXPECT_EQ(
      findFault("gemm", read("mma = wgmma; reg_split = [40, 41]")),
      "schedule key 'reg_split' of gemm/wgmma expected [a multiple of 8 from 24 to 256, a multiple of 8 from 24 to "
      "256], found [40, 41]");
  EXPECT_EQ(findFault("pool", read("block = 100")),
            "schedule key 'block' expected a multiple of 32 from 32 to 1024, found 100");
  EXPECT_EQ(findFault("gemm", read("mma = wmma; dtype = fp32")),
            "schedule key 'dtype' of gemm/wmma expected one of tf32, fp16, bf16, found \"fp32\"");
  // Variants differ: each is said with who takes it.
  EXPECT_EQ(findFault("attention", read("tile = [24, 64]")),
            "schedule key 'tile' of attention/simt, attention/mma_sync and attention/wgmma expected [a multiple of 16 "
            "from 16 "
            "to 4096, a multiple of 16 from 16 to 4096] (attention/simt and attention/mma_sync), or [a multiple of 64 "
            "from 64 "
            "to 192, one of 16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256] (attention/wgmma), found [24, 64]");
  // A value of one variant and a key of another.
  EXPECT_EQ(findFault("conv", read("tile = [64, 24, 16]; warp_tile = [16, 16]"))
                .find("schedule key 'tile' of conv/mma_sync expected ["),
            std::string::npos);
  EXPECT_NE(findFault("conv", read("tile = [64, 24, 16]; warp_tile = [16, 16]")), "");
}

TEST(Schedule, SettingsChooseAVariant) {
  ASSERT_NE(findVariant("gemm", read("thread_tile = [8, 8]")), nullptr);
  EXPECT_EQ(findVariant("gemm", read("thread_tile = [8, 8]"))->print(), "gemm/simt");
  EXPECT_EQ(findVariant("row", read("resident = none; split_rows = 1"))->print(), "row/reread");
  EXPECT_EQ(findVariant("gemm", read("tile = [64, 64, 32]")), nullptr);
  EXPECT_EQ(findVariant("gemm", read("thread_tile = [8, 8]; cluster = 2")), nullptr);
}

/// A completed schedule as a struct reads it.
struct Source {
  Settings settings;
  template <typename T>
  std::optional<T> get(llvm::StringRef name) const {
    auto found = settings.find(name);
    return found == settings.end() ? std::nullopt : std::optional<T>(std::get<T>(*found->second));
  }
  std::optional<int64_t> getInt(IntKey key) const { return get<int64_t>(key.name); }
  std::optional<std::vector<int64_t>> getInts(IntsKey key) const { return get<std::vector<int64_t>>(key.name); }
  template <typename Word>
  std::optional<Word> getWord(WordKey<Word> key) const {
    std::optional<std::string> word = get<std::string>(key.name);
    Word value{};
    readWord(word.value_or(""), value);
    return word ? std::optional<Word>(value) : std::nullopt;
  }
};

TEST(Schedule, AVariantsStructHoldsTypedMembers) {
  Source source{read("mma = wgmma; dtype = fp16; tile = [64, 96]; stages = 3; reduce = online; lazy = off; "
                     "consumers = 1; pingpong = on; overlap = off; pipeline = tma")};
  auto schedule = AttentionWgmma::read(source);
  EXPECT_EQ(schedule.tile, (std::array<int64_t, 2>{64, 96}));
  EXPECT_EQ(schedule.stages, 3);
  EXPECT_EQ(schedule.dtype, Dtype::Fp16);
  EXPECT_STREQ(wordOf(schedule.dtype), "fp16");
  EXPECT_TRUE(schedule.pingpong);
  EXPECT_FALSE(schedule.lazy);
  source.settings.erase("stages");
  EXPECT_DEATH(AttentionWgmma::read(source), "a completed schedule lacks 'stages'");
}

} // namespace
