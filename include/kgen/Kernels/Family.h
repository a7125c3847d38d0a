//===- Family.h - One way of computing a dispatch in CUDA-C ---------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// A family turns a kgen.dispatch and its schedule into CUDA-C text and
// launches. The pass kgen-lower-dispatches looks families up by the name that
// the schedule gives. A new family is one folder of lib/Kernels and one line in
// Families.def.
//
//===----------------------------------------------------------------------===//
#pragma once

#include "kgen/Graph/GraphFacts.h"
#include "kgen/Schedule/Schedule.h"
#include "kgen/Schedule/Schedules.h"
#include "kgen/Support/Chip.h"

#include "mlir/IR/BuiltinAttributes.h"
#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <array>
#include <memory>
#include <optional>
#include <string>

namespace kgen {
class DispatchOp;
} // namespace kgen

namespace kgen::kernels {
namespace key = schedule::key;

/// One argument of a kernel: a buffer of the dispatch.
struct DispatchBuffer {
  enum class Kind {
    Operand,   ///< operand INDEX of the dispatch
    Result,    ///< result INDEX of the dispatch
    Workspace, ///< DispatchCode::workspaces[INDEX]
  };
  Kind kind;
  int64_t index;

  static DispatchBuffer operand(int64_t i) { return {Kind::Operand, i}; }
  static DispatchBuffer result(int64_t i) { return {Kind::Result, i}; }
  static DispatchBuffer workspace(int64_t i) { return {Kind::Workspace, i}; }
};

/// A tensor map over BUFFER, which is among the launch's reads or writes: see #kgen.tensor_map.
struct TensorMap {
  DispatchBuffer buffer;
  mlir::Type dtype;
  llvm::SmallVector<int64_t> dims, strides, box; ///< elements, bytes, elements; innermost first
  int64_t swizzle = 0, l2 = 0;                   ///< bytes
  int64_t offset = 0;                            ///< bytes, from the buffer's begin
};

/// One kernel launch. Launches of a dispatch run in order on one stream; a launch that reads
/// what an earlier one wrote names the same DispatchBuffer among its reads.
struct LaunchSpec {
  std::string kernel;           ///< extern "C" name, starts with the dispatch's name
  std::array<int64_t, 3> grid;  ///< blocks
  std::array<int64_t, 3> block; ///< threads
  int64_t sharedBytes = 0;      ///< dynamic shared memory, bytes
  /// The kernel's parameters in order: `reads` (const T *), then `writes` (T *), then `maps`
  /// (const __grid_constant__ kgen::tensor_map).
  llvm::SmallVector<DispatchBuffer> reads, writes;
  llvm::SmallVector<TensorMap, 0> maps = {};
  std::array<int64_t, 3> cluster = {1, 1, 1};
  bool cooperative = false; ///< the grid's blocks wait for each other
  /// The template whose `//@ sizes` line says how many threads and bytes of shared memory its text counts on; "" for
  /// kernels with the size in their launch bounds.
  std::string sizedBy = {};

  /// A launch of KERNEL that reads all operands of DISPATCH and writes all its results.
  static LaunchSpec ofWhole(DispatchOp dispatch, std::string kernel, int64_t blocks, int64_t threads);
};

/// The lowered form of one dispatch.
struct DispatchCode {
  std::string source; ///< CUDA-C; every name in a namespace or prefixed by the dispatch's name
  llvm::SmallVector<LaunchSpec, 0> launches;
  llvm::SmallVector<mlir::RankedTensorType> workspaces; ///< uninitialised buffers
};

/// The parameters of one schedule by key, as directives wrote them, then as Family::complete
/// filled them in; emitters read a completed one as the struct of its variant (Schedules.h). Attribute kinds: integers
/// are I64Attr, lists DenseI64ArrayAttr, words StrAttr. Iteration is alphabetical, so that what is printed from it is
/// deterministic.
class ScheduleParams {
public:
  ScheduleParams() = default;
  explicit ScheduleParams(mlir::DictionaryAttr parameters) : parameters(parameters) {}

  mlir::DictionaryAttr getDictionary(mlir::MLIRContext *context) const;
  /// What is set, as the table's rules take it.
  schedule::Settings getSettings() const;

  template <typename Key>
  bool has(Key key) const {
    return static_cast<bool>(get(key.name));
  }
  void set(mlir::MLIRContext *context, schedule::IntKey key, int64_t value);
  void set(mlir::MLIRContext *context, schedule::IntsKey key, llvm::ArrayRef<int64_t> values);
  template <typename Word>
  void set(mlir::MLIRContext *context, schedule::WordKey<Word> key, Word value) {
    setWord(context, key.name, schedule::wordOf(value));
  }

  /// The parameter's value, or nothing when it is absent or of another kind.
  std::optional<int64_t> getInt(schedule::IntKey key) const;
  std::optional<llvm::SmallVector<int64_t>> getInts(schedule::IntsKey key) const;
  template <typename Word>
  std::optional<Word> getWord(schedule::WordKey<Word> key) const {
    std::optional<llvm::StringRef> word = findWord(key.name);
    if (!word)
      return std::nullopt;
    Word value{};
    schedule::readWord(*word, value);
    return value;
  }

  /// The parameter's value; `fallback` is recorded and returned when it is absent.
  int64_t intOr(mlir::MLIRContext *context, schedule::IntKey key, int64_t fallback);
  llvm::SmallVector<int64_t> intsOr(mlir::MLIRContext *context, schedule::IntsKey key,
                                    llvm::ArrayRef<int64_t> fallback);
  template <typename Word>
  Word wordOr(mlir::MLIRContext *context, schedule::WordKey<Word> key, Word fallback) {
    if (std::optional<Word> word = getWord(key))
      return *word;
    set(context, key, fallback);
    return fallback;
  }

private:
  mlir::Attribute get(llvm::StringRef name) const;
  std::optional<llvm::StringRef> findWord(llvm::StringRef name) const;
  void setWord(mlir::MLIRContext *context, llvm::StringRef name, llvm::StringRef word);

  mlir::DictionaryAttr parameters;
};

/// One kernel family.
class Family {
public:
  virtual ~Family() = default;

  /// The word in `#kgen.schedule<family = ...>`.
  virtual llvm::StringRef name() const = 0;

  /// Whether this family can compute DISPATCH at all; when not, emits one diagnostic that says
  /// which op or type stands in the way.
  virtual mlir::LogicalResult match(DispatchOp dispatch) const = 0;

  /// Fills what the schedule leaves open with sensible values for DISPATCH and CHIP. An illegal
  /// value is one diagnostic with the number found and the bound, for the model that wrote it.
  virtual mlir::LogicalResult complete(DispatchOp dispatch, ScheduleParams &params, const Chip &chip) const = 0;

  /// The CUDA-C of DISPATCH. PARAMS has been completed.
  virtual mlir::FailureOr<DispatchCode> emit(DispatchOp dispatch, const ScheduleParams &params,
                                             const Chip &chip) const = 0;

  /// Whether a kernel of ANCHOR reads each element of its inputs once, so that element-wise ops may run in front of it
  /// at no cost: what kgen::readsOnce says of the family, where ops of it do not differ.
  virtual bool readsOnce(mlir::Operation *anchor) const;

  /// The views in front of DISPATCH, outside of it, that its kernels can read as strides, so that nothing is copied.
  virtual llvm::SmallVector<mlir::Operation *> findStridedViews(DispatchOp dispatch) const;

  /// What DISPATCH, which matches, works on, for ideas and their ranking.
  virtual graph::WorkFact getWork(DispatchOp dispatch) const;
};

/// Matches DISPATCH and completes PARAMS by FAMILY, then asks the table whether a variant takes what is set. One
/// diagnostic on failure.
mlir::LogicalResult completeSchedule(const Family &family, DispatchOp dispatch, ScheduleParams &params,
                                     const Chip &chip);

/// The family of that name, or null. Families live as long as the process and have no state.
const Family *findFamily(llvm::StringRef name);

/// All families' names, alphabetical.
llvm::SmallVector<llvm::StringRef> familyNames();

/// One constructor per family, called once by the registry: createGemmFamily() and the like.
#define KGEN_FAMILY(NAME) std::unique_ptr<Family> create##NAME##Family();
#include "kgen/Kernels/Families.def"

} // namespace kgen::kernels
