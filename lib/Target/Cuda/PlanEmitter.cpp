//===- PlanEmitter.cpp - Level 3 as plan.json -----------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Buffers are found by following values: a launch writes a fresh buffer where
// its destination is a tensor.empty, its destination's buffer where that is an
// earlier launch's result, and a result's where that is an argument which the
// result is, written in place.
//
//===----------------------------------------------------------------------===//

#include "kgen/Dialect/KGen/KGen.h"
#include "kgen/Support/GraphMarks.h"
#include "kgen/Target/Cuda/CudaEmitter.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"

using namespace mlir;

namespace kgen::target {
namespace {

/// One buffer of the plan.
struct Buffer {
  int64_t bytes = 0;
  int firstUse = 0, lastUse = 0; ///< indices of launches
  std::string name;              ///< "in0", "out0", "ws0"; a workspace gets its name last
};

class PlanEmitter {
public:
  PlanEmitter(func::FuncOp function, StringRef precision) : function(function), precision(precision) {}
  LogicalResult emit(StringRef problem, StringRef arch, llvm::raw_ostream &os);

private:
  LogicalResult findBuffers();
  LogicalResult addLaunch(LaunchOp launch);
  LogicalResult nameOutputs(func::ReturnOp op);
  void assignWorkspace();
  int resolve(Value value, int64_t *offset = nullptr) const;
  LogicalResult printArguments(LaunchOp launch, llvm::raw_ostream &os);

  func::FuncOp function;
  StringRef precision;
  SmallVector<Buffer> buffers;
  DenseMap<Value, int> bufferOf; ///< of arguments, launches' results and empties that launches read
  SmallVector<LaunchOp> launches;
  SmallVector<int64_t> workspaceBytes;
  llvm::SmallDenseSet<unsigned> updates; ///< arguments that are results as well
};

} // namespace

static int64_t getElementBytes(Type type) {
  return llvm::divideCeil(cast<RankedTensorType>(type).getElementTypeBitWidth(), 8);
}

static int64_t getBytes(Type type) { return cast<RankedTensorType>(type).getNumElements() * getElementBytes(type); }

/// Whether OP is a slice that is one piece of its source, as the generic path leaves some; OFFSET, bytes, grows by
/// where it begins.
static bool isPart(Operation *op, int64_t &offset) {
  auto slice = dyn_cast<tensor::ExtractSliceOp>(op);
  if (!slice || !slice->hasAttr("kgen.part"))
    return false;
  int64_t position = 0;
  for (auto [start, extent] : llvm::zip_equal(slice.getStaticOffsets(), slice.getSourceType().getShape()))
    position = position * extent + start;
  offset += position * getElementBytes(slice.getSourceType());
  return true;
}

/// The value whose memory VALUE has. OFFSET receives where in it that begins, bytes.
static Value stripReshapes(Value value, int64_t *offset = nullptr) {
  int64_t begin = 0;
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(op) && !(offset && isPart(op, begin)))
      break;
    value = op->getOperand(0);
  }
  if (offset)
    *offset = begin;
  return value;
}

static std::string getDType(Type type) {
  Type element = cast<RankedTensorType>(type).getElementType();
  std::string name;
  llvm::raw_string_ostream(name) << element;
  return name;
}

/// The buffer of VALUE, or -1. Where OFFSET is given, VALUE may be a part that begins there.
int PlanEmitter::resolve(Value value, int64_t *offset) const {
  auto it = bufferOf.find(stripReshapes(value, offset));
  return it == bufferOf.end() ? -1 : it->second;
}

LogicalResult PlanEmitter::addLaunch(LaunchOp launch) {
  int index = launches.size();
  launches.push_back(launch);
  for (auto [i, input] : llvm::enumerate(launch.getInputs())) {
    Value root = stripReshapes(input);
    // Memory that a kernel may scribble on: nothing has written it yet.
    if (root.getDefiningOp<tensor::EmptyOp>() && !bufferOf.count(root)) {
      bufferOf[root] = buffers.size();
      buffers.push_back({getBytes(root.getType()), index, index, ""});
    }
    int64_t offset;
    int buffer = resolve(input, &offset);
    if (buffer < 0)
      return launch.emitOpError("input ") << i << " has no buffer; it is neither an argument nor a launch's result";
    buffers[buffer].lastUse = index;
  }
  for (auto [output, result] : llvm::zip_equal(launch.getOutputs(), launch.getResults())) {
    Value root = stripReshapes(output);
    if (root.getDefiningOp<tensor::EmptyOp>()) {
      bufferOf[result] = buffers.size();
      buffers.push_back({getBytes(result.getType()), index, index, ""});
      continue;
    }
    if (auto argument = dyn_cast<BlockArgument>(root); argument && updates.contains(argument.getArgNumber())) {
      bufferOf[result] = buffers.size();
      buffers.push_back({getBytes(result.getType()), index, index, ""});
      continue;
    }
    if (!root.getDefiningOp<LaunchOp>())
      return launch.emitOpError("writes a tensor that is neither empty nor a launch's result");
    // In place: then nobody may look at the old contents afterwards.
    for (Operation *user : root.getUsers())
      if (user != launch && launch->isBeforeInBlock(user))
        return launch.emitOpError("overwrites a tensor that is used later").attachNote(user->getLoc()) << "used here";
    int buffer = resolve(root);
    bufferOf[result] = buffer;
    buffers[buffer].lastUse = index;
  }
  return success();
}

LogicalResult PlanEmitter::nameOutputs(func::ReturnOp op) {
  for (auto [i, value] : llvm::enumerate(op.getOperands())) {
    int buffer = resolve(value);
    // What has no elements needs nobody to write it.
    if (getBytes(value.getType()) == 0 && (buffer < 0 || !buffers[buffer].name.empty())) {
      buffers.push_back({0, 0, 0, "out" + std::to_string(i)});
      continue;
    }
    if (buffer < 0)
      return op.emitOpError("result ") << i << " is not written by a launch";
    if (!buffers[buffer].name.empty())
      return op.emitOpError("result ") << i << " is " << buffers[buffer].name << " and needs a buffer of its own";
    buffers[buffer].name = "out" + std::to_string(i);
  }
  return success();
}

LogicalResult PlanEmitter::findBuffers() {
  for (unsigned i = 0; i < function.getNumResults(); ++i)
    if (auto number = function.getResultAttrOfType<IntegerAttr>(i, updatesAttr))
      updates.insert(unsigned(number.getInt()));
  for (BlockArgument argument : function.getArguments()) {
    bufferOf[argument] = buffers.size();
    buffers.push_back({getBytes(argument.getType()), 0, 0, "in" + std::to_string(argument.getArgNumber())});
  }
  for (Operation &op : function.getBody().front()) {
    if (auto launch = dyn_cast<LaunchOp>(op)) {
      if (failed(addLaunch(launch)))
        return failure();
    } else if (auto ret = dyn_cast<func::ReturnOp>(op)) {
      if (failed(nameOutputs(ret)))
        return failure();
    } else if (int64_t offset = 0;
               !isa<tensor::EmptyOp, tensor::CollapseShapeOp, tensor::ExpandShapeOp, tensor::CastOp>(op) &&
               !isPart(&op, offset)) {
      return op.emitOpError("is not lowered to launches");
    }
  }
  return success();
}

/// Packs the intermediate tensors, largest first, so that a slot is never grown and a small tensor
/// does not keep a large one out. Lives overlap in the launch that ends one and starts the other, so
/// no kernel reads what it writes.
void PlanEmitter::assignWorkspace() {
  SmallVector<int> order;
  for (auto [i, buffer] : llvm::enumerate(buffers))
    if (buffer.name.empty())
      order.push_back(i);
  llvm::stable_sort(order, [&](int a, int b) { return buffers[a].bytes > buffers[b].bytes; });
  SmallVector<SmallVector<int>> tenants;
  for (int i : order) {
    Buffer &buffer = buffers[i];
    auto isFree = [&](ArrayRef<int> others) {
      return llvm::all_of(others, [&](int other) {
        return buffers[other].lastUse < buffer.firstUse || buffer.lastUse < buffers[other].firstUse;
      });
    };
    auto *slot = llvm::find_if(tenants, isFree);
    size_t index = slot - tenants.begin();
    if (slot == tenants.end()) {
      tenants.emplace_back();
      workspaceBytes.push_back(buffer.bytes);
    }
    tenants[index].push_back(i);
    buffer.name = "ws" + std::to_string(index);
  }
}

static void printQuoted(llvm::raw_ostream &os, StringRef text) { os << llvm::json::Value(text); }

static void printList(llvm::raw_ostream &os, ArrayRef<int64_t> values) {
  os << "[";
  llvm::interleaveComma(values, os);
  os << "]";
}

LogicalResult PlanEmitter::printArguments(LaunchOp launch, llvm::raw_ostream &os) {
  SmallVector<std::string> arguments;
  for (Value value : launch.getInputs()) {
    int64_t offset = 0;
    const std::string &name = buffers[resolve(value, &offset)].name;
    arguments.push_back("{\"buffer\": \"" + name + (offset ? "\", \"offset\": " + std::to_string(offset) : "\"") + "}");
  }
  for (Value value : launch.getResults())
    arguments.push_back("{\"buffer\": \"" + buffers[resolve(value)].name + "\"}");
  if (ArrayAttr scalars = launch.getScalarsAttr()) {
    for (Attribute scalar : scalars) {
      std::string text;
      llvm::raw_string_ostream stream(text);
      if (auto integer = dyn_cast<IntegerAttr>(scalar);
          integer && (integer.getType().isInteger(32) || integer.getType().isInteger(64)))
        stream << "{\"i" << integer.getType().getIntOrFloatBitWidth() << "\": " << integer.getInt() << "}";
      else if (auto real = dyn_cast<FloatAttr>(scalar); real && real.getType().isF32() && real.getValue().isFinite())
        stream << "{\"f32\": " << llvm::json::Value(real.getValueAsDouble()) << "}";
      else
        return launch.emitOpError("expected scalars of type i32, i64 or finite f32, found ") << scalar;
      arguments.push_back(text);
    }
  }
  if (ArrayAttr maps = launch.getMapsAttr()) {
    size_t inputs = launch.getInputs().size();
    for (auto map : maps.getAsRange<TensorMapAttr>()) {
      size_t operand = size_t(map.getOperand());
      Value value = operand < inputs ? Value(launch.getInputs()[operand]) : launch.getResults()[operand - inputs];
      std::string text;
      llvm::raw_string_ostream stream(text);
      auto word = [](int64_t bytes) { return bytes ? std::to_string(bytes) + "B" : std::string("none"); };
      stream << "{\"tensor_map\": {\"buffer\": \"" << buffers[resolve(value)].name << "\", ";
      if (map.getOffset())
        stream << "\"offset\": " << map.getOffset() << ", ";
      stream << "\"dtype\": \"" << map.getDtype() << "\", \"dims\": ";
      printList(stream, map.getDims());
      stream << ", \"strides\": ";
      printList(stream, map.getStrides());
      stream << ", \"box\": ";
      printList(stream, map.getBox());
      stream << ", \"swizzle\": \"" << word(map.getSwizzle()) << "\", \"l2\": \"" << word(map.getL2())
             << "\", \"fill\": \"zero\"}}";
      arguments.push_back(text);
    }
  }
  os << llvm::join(arguments, ", ");
  return success();
}

LogicalResult PlanEmitter::emit(StringRef problem, StringRef arch, llvm::raw_ostream &os) {
  if (failed(findBuffers()))
    return failure();
  assignWorkspace();

  os << "{\"version\": 1, \"problem\": ";
  printQuoted(os, problem);
  os << ", \"arch\": ";
  printQuoted(os, arch);
  os << ", \"precision\": ";
  printQuoted(os, precision);

  os << ",\n \"inputs\": [";
  for (BlockArgument argument : function.getArguments()) {
    unsigned i = argument.getArgNumber();
    auto attribute = [&](StringRef name, const std::string &otherwise) {
      auto value = function.getArgAttrOfType<StringAttr>(i, name);
      return value ? value.getValue().str() : otherwise;
    };
    os << (i ? ",\n  " : "\n  ") << "{\"name\": ";
    printQuoted(os, attribute("kgen.name", "in" + std::to_string(i)));
    os << ", \"dtype\": \"" << getDType(argument.getType()) << "\", \"shape\": ";
    printList(os, cast<RankedTensorType>(argument.getType()).getShape());
    os << ", \"init\": ";
    printQuoted(os, attribute("kgen.init", "normal(0, 1)"));
    if (function.getArgAttr(i, "kgen.parameter"))
      os << ", \"parameter\": true";
    if (auto read = function.getArgAttrOfType<IntegerAttr>(i, "kgen.read_bytes"))
      os << ", \"read_bytes\": " << read.getInt();
    os << "}";
  }
  os << "],\n \"outputs\": [";
  for (auto [i, type] : llvm::enumerate(function.getResultTypes())) {
    os << (i ? ",\n  " : "\n  ") << "{\"name\": \"out" << i << "\", \"dtype\": \"" << getDType(type)
       << "\", \"shape\": ";
    printList(os, cast<RankedTensorType>(type).getShape());
    if (auto number = function.getResultAttrOfType<IntegerAttr>(unsigned(i), updatesAttr))
      os << ", \"updates\": " << number.getInt();
    os << "}";
  }
  os << "],\n \"workspace\": [";
  for (auto [i, bytes] : llvm::enumerate(workspaceBytes))
    os << (i ? ",\n  " : "\n  ") << "{\"name\": \"ws" << i << "\", \"bytes\": " << bytes << "}";
  os << "],\n \"launches\": [";
  for (auto [i, launch] : llvm::enumerate(launches)) {
    os << (i ? ",\n  " : "\n  ") << "{\"kernel\": ";
    printQuoted(os, launch.getKernelName());
    os << ", \"grid\": ";
    printList(os, launch.getGrid());
    os << ", \"block\": ";
    printList(os, launch.getBlock());
    os << ", \"shared_bytes\": " << launch.getShared();
    if (std::optional<ArrayRef<int64_t>> cluster = launch.getCluster()) {
      os << ", \"cluster\": ";
      printList(os, *cluster);
    }
    if (launch.getCooperative())
      os << ", \"cooperative\": true";
    os << ",\n   \"args\": [";
    if (failed(printArguments(launch, os)))
      return failure();
    os << "]}";
  }
  os << "]}\n";
  return success();
}

LogicalResult emitPlan(ModuleOp module, StringRef precision, llvm::raw_ostream &os) {
  SmallVector<func::FuncOp> functions;
  for (auto function : module.getOps<func::FuncOp>())
    if (!function.isExternal())
      functions.push_back(function);
  if (functions.size() != 1)
    return module.emitError("expected one function, found ") << functions.size();
  func::FuncOp function = functions.front();
  for (Type type : llvm::concat<const Type>(function.getArgumentTypes(), function.getResultTypes()))
    if (auto tensor = dyn_cast<RankedTensorType>(type); !tensor || !tensor.hasStaticShape())
      return function.emitOpError("expected static tensors, found ") << type;
  if (!function.getBody().hasOneBlock())
    return function.emitOpError("expected one block, found ") << function.getBody().getBlocks().size();

  auto problem = module->getAttrOfType<StringAttr>("kgen.problem");
  // All sources of a snapshot are for one architecture.
  std::string arch;
  for (SourceOp source : module.getOps<SourceOp>())
    arch = source.getArch().str();
  // Text only once all of it is known to be right.
  std::string text;
  llvm::raw_string_ostream stream(text);
  if (failed(PlanEmitter(function, precision).emit(problem ? problem.getValue() : function.getName(), arch, stream)))
    return failure();
  os << text;
  return success();
}

} // namespace kgen::target
