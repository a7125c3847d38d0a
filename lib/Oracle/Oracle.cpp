//===- Oracle.cpp - Compile a graph for this CPU and run it --------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#include "kgen/Oracle/Oracle.h"
#include "HostCode.h"
#include "OracleModule.h"
#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Oracle/OracleLowering.h"

#include "llvm/ADT/STLExtras.h"

using namespace kgen;
using namespace kgen::oracle;
using namespace mlir;

namespace {

llvm::Expected<OracleTensor> describe(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape())
    return llvm::createStringError("the oracle needs tensors of static shape");
  OracleTensor result;
  llvm::raw_string_ostream(result.dtype) << tensor.getElementType();
  result.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  if (!isa<FloatType>(tensor.getElementType()) && !llvm::is_contained({"i1", "i8", "i32", "i64"}, result.dtype))
    return llvm::createStringError("the oracle has no elements of type " + result.dtype);
  return result;
}

/// A buffer of the type that the compiled function works on: double, or the integer type.
class Buffer {
public:
  /// Borrows VALUES when the element type is double, else holds them converted.
  Buffer(const OracleTensor &tensor, llvm::ArrayRef<double> values) : tensor(tensor) {
    if (isFloat()) {
      data = const_cast<double *>(values.data());
      return;
    }
    storage.resize(elementBytes() * tensor.elements());
    data = storage.data();
    visit([&](auto *elements) {
      for (auto [i, value] : llvm::enumerate(values))
        elements[i] = static_cast<std::decay_t<decltype(*elements)>>(value);
    });
  }

  /// Brings what the compiled function wrote to VALUES, the buffer that this one was made from.
  void store(std::vector<double> &values) const {
    if (!isFloat())
      visit([&](auto *elements) { std::copy(elements, elements + values.size(), values.begin()); });
  }

  /// The elements themselves where they are i64 and some are beyond what doubles tell apart; else nothing.
  std::vector<int64_t> wide() const {
    if (tensor.dtype != "i64")
      return {};
    const auto *elements = static_cast<const int64_t *>(data);
    constexpr int64_t most = int64_t(1) << 53;
    const auto end = elements + tensor.elements();
    if (std::all_of(elements, end, [](int64_t v) { return -most <= v && v <= most; }))
      return {};
    return {elements, end};
  }

  /// The C layout of a memref descriptor: two pointers, offset, sizes, strides.
  std::vector<int64_t> descriptor() const {
    std::vector<int64_t> words = {int64_t(data), int64_t(data), 0};
    llvm::append_range(words, tensor.shape);
    int64_t stride = 1;
    words.resize(words.size() + tensor.shape.size());
    for (size_t i = 0; i < tensor.shape.size(); ++i) {
      words[words.size() - 1 - i] = stride;
      stride *= tensor.shape[tensor.shape.size() - 1 - i];
    }
    return words;
  }

private:
  bool isFloat() const { return tensor.isFloat(); }
  size_t elementBytes() const { return isFloat() || tensor.dtype == "i64" ? 8 : tensor.dtype == "i32" ? 4 : 1; }
  template <typename F>
  void visit(F f) const {
    if (isFloat())
      f(static_cast<double *>(data));
    else if (tensor.dtype == "i64")
      f(static_cast<int64_t *>(data));
    else if (tensor.dtype == "i32")
      f(static_cast<int32_t *>(data));
    else if (tensor.dtype == "i8")
      f(static_cast<int8_t *>(data));
    else
      f(static_cast<uint8_t *>(data)); // i1: one byte, 0 or 1
  }

  const OracleTensor &tensor;
  std::vector<char> storage;
  void *data = nullptr;
};

} // namespace

/// What compiling FUNCTION may take, for the work that it does each time, some thirty times in all. Code that is not
/// optimised does 200,000 operations in the time that optimising takes; vector code takes some 0.3 s of the compiler
/// for each op that works, and saves half of the time where an op has more than a million operations.
static HostEffort effortFor(func::FuncOp function) {
  const double mostUnoptimised = 200000, mostScalar = 1e6;
  double work = aten::graphFlops(function);
  auto addElements = [&work](TypeRange types) {
    for (Type type : types)
      if (auto tensor = dyn_cast<RankedTensorType>(type))
        work += double(tensor.getNumElements());
  };
  bool known = true; // what is not of aten ops says nothing of its work
  int64_t ops = 0;
  function.walk([&](Operation *op) {
    known &= isa<func::FuncOp, func::ReturnOp, aten::AtenCostOpInterface>(op);
    ops += isa<aten::AtenCostOpInterface>(op);
    addElements(op->getOperandTypes());
    addElements(op->getResultTypes());
  });
  if (!known)
    return HostEffort::Full;
  if (work < mostUnoptimised)
    return HostEffort::None;
  return work > mostScalar * double(ops) ? HostEffort::Full : HostEffort::Scalar;
}

struct Oracle::State {
  std::vector<OracleTensor> inputs, outputs;
  std::vector<std::vector<int64_t>> wide; ///< of the last run
  HostCode code;
  void (*entry)(void **) = nullptr;
};

bool OracleTensor::isFloat() const { return dtype[0] == 'f' || dtype == "bf16"; }

int64_t OracleTensor::elements() const {
  int64_t result = 1;
  for (int64_t size : shape)
    result *= size;
  return result;
}

Oracle::Oracle(std::unique_ptr<State> state) : state(std::move(state)) {}
Oracle::~Oracle() = default;
const std::vector<OracleTensor> &Oracle::inputs() const { return state->inputs; }
const std::vector<OracleTensor> &Oracle::outputs() const { return state->outputs; }
const std::vector<std::vector<int64_t>> &Oracle::wide() const { return state->wide; }

llvm::Expected<std::unique_ptr<Oracle>> Oracle::create(llvm::StringRef graph, int64_t sliceLimit,
                                                       llvm::StringRef fileName, OracleResult result, OracleCode code) {
  auto opened = OracleModule::open(graph, fileName);
  if (!opened)
    return opened.takeError();
  ModuleOp module = (*opened)->module();
  func::FuncOp function = (*opened)->function();
  std::string name = function.getName().str();

  auto state = std::make_unique<State>();
  auto fill = [](TypeRange types, std::vector<OracleTensor> &tensors) -> llvm::Error {
    for (Type type : types) {
      auto tensor = describe(type);
      if (!tensor)
        return tensor.takeError();
      tensors.push_back(std::move(*tensor));
    }
    return llvm::Error::success();
  };
  if (auto error = fill(function.getArgumentTypes(), state->inputs))
    return error;
  if (auto error = fill(function.getResultTypes(), state->outputs))
    return error;

  const HostEffort effort = code == OracleCode::Optimised ? HostEffort::Full : effortFor(function);
  PassManager pm(module.getContext());
  populateOracleLowering(pm, sliceLimit, result);
  if (failed(pm.run(module)))
    return (*opened)->error("cannot lower the graph for the CPU");
  auto compiled = compileForHost(module, effort);
  if (!compiled)
    return compiled.takeError();
  state->code = std::move(*compiled);
  auto entry = state->code.entry->lookupPacked("_mlir_ciface_" + name);
  if (!entry)
    return entry.takeError();
  state->entry = *entry;
  return std::unique_ptr<Oracle>(new Oracle(std::move(state)));
}

llvm::Expected<std::vector<std::vector<double>>> Oracle::run(llvm::ArrayRef<llvm::ArrayRef<double>> inputs) {
  if (inputs.size() != state->inputs.size())
    return llvm::createStringError("the graph takes %zu inputs, found %zu", state->inputs.size(), inputs.size());
  std::vector<Buffer> buffers;
  buffers.reserve(state->inputs.size() + state->outputs.size());
  for (auto [i, tensor] : llvm::enumerate(state->inputs)) {
    if (int64_t(inputs[i].size()) != tensor.elements())
      return llvm::createStringError("input %zu has %" PRId64 " elements, found %zu", i, tensor.elements(),
                                     inputs[i].size());
    buffers.emplace_back(tensor, inputs[i]);
  }
  std::vector<std::vector<double>> results;
  for (const OracleTensor &tensor : state->outputs) {
    // What an op forgets to write must not look like a right zero.
    results.emplace_back(tensor.elements(), tensor.isFloat() ? std::numeric_limits<double>::quiet_NaN() : -77);
    buffers.emplace_back(tensor, results.back());
  }

  std::vector<std::vector<int64_t>> descriptors;
  for (const Buffer &buffer : buffers)
    descriptors.push_back(buffer.descriptor());
  // The packed form takes a pointer to each argument, and each argument is a pointer to a descriptor.
  std::vector<void *> pointers, packed;
  for (auto &descriptor : descriptors)
    pointers.push_back(descriptor.data());
  for (void *&pointer : pointers)
    packed.push_back(&pointer);
  state->entry(packed.data());

  state->wide.clear();
  for (auto [i, result] : llvm::enumerate(results)) {
    buffers[inputs.size() + i].store(result);
    state->wide.push_back(buffers[inputs.size() + i].wide());
  }
  return results;
}
