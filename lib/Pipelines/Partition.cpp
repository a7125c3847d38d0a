//===- Partition.cpp - Cutting a network into tasks -----------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// Each group of ops has one value that leaves it (or the results of one op), on which all its ops depend. So whatever
// joins a group makes no circle of groups that was none of ops, and the order of the last ops is an order of the steps.
//
//===----------------------------------------------------------------------===//
#include "kgen/Pipelines/Partition.h"

#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Dialect/KGen/Layouts.h"
#include "kgen/Dialect/KGen/NetworkMarks.h"
#include "kgen/Dialect/KGen/Origins.h"
#include "kgen/Dialect/KGen/Precision.h"
#include "kgen/Kernels/Passes.h"
#include "kgen/Pipelines/GraphFacts.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

#include <climits>
#include <cmath>
#include <map>
#include <set>

using namespace mlir;

namespace kgen::pipelines {

using aten::OpKind;

static OpKind kindOf(Operation *op) { return cast<aten::AtenCostOpInterface>(op).getKind(); }

static RankedTensorType typeOf(Value value) { return cast<RankedTensorType>(value.getType()); }

/// Whether OP gives the elements of its operand in their order, so that its result is the same memory.
static bool isReshape(Operation *op) {
  if (isa<aten::ReshapeOp, aten::ViewOp, aten::FlattenUsingIntsOp, aten::UnsqueezeOp, aten::SqueezeDimOp>(op))
    return true;
  if (!isa<aten::PermuteOp, aten::TransposeIntOp, aten::ExpandOp, aten::SliceTensorOp>(op))
    return false;
  ArrayRef<int64_t> before = typeOf(op->getOperand(0)).getShape(), after = typeOf(op->getResult(0)).getShape();
  if (isa<aten::SliceTensorOp>(op)) // of a dimension of one element a slice with any step is all of it
    return before == after && (!op->hasAttr("step") || op->getAttrOfType<IntegerAttr>("step").getInt() == 1);
  if (isa<aten::ExpandOp>(op))
    return typeOf(op->getOperand(0)).getNumElements() == typeOf(op->getResult(0)).getNumElements();
  // A permutation of dimensions of which at most one has more than one element.
  return llvm::count_if(before, [](int64_t extent) { return extent != 1; }) <= 1;
}

Value Partition::rootOf(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isReshape(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

namespace {

/// What becomes of an op.
enum class Role {
  Reader,      ///< computed again by each task that reads it: a view, a constant, a cast of an argument
  Elementwise, ///< joins an anchor, or a chain of its like
  Anchor,      ///< decides a task
};

/// INIT, how a weight is drawn, without what layers of one kind differ in: an importer that fits normal distributions
/// to weights has other digits for each. The mean is 0 unless it matters, the deviation a power of two.
std::string roundInit(StringRef init) {
  StringRef rest = init;
  double mean, deviation;
  if (!rest.consume_front("normal(") || !rest.consume_back(")"))
    return init.str();
  auto [first, second] = rest.split(',');
  if (first.trim().getAsDouble(mean) || second.trim().getAsDouble(deviation) || !(deviation > 0) ||
      std::abs(mean) > deviation / 4)
    return init.str();
  char text[64];
  snprintf(text, sizeof text, "normal(0, %g)", std::exp2(std::round(std::log2(deviation))));
  return text;
}

class Partitioner {
public:
  Partitioner(ModuleOp graph, func::FuncOp func)
      : graph(graph), func(func), precision(precisionOf(graph)), origins(func) {
    for (Operation &op : func.getBody().front()) {
      indices.try_emplace(&op, int(ops.size()));
      ops.push_back(&op);
    }
    roles.resize(ops.size());
    groupOf.assign(ops.size(), -1);
    for (Operation *op : ops)
      originOf.push_back(origins.of(op));
    findRoles();
  }

  Partition cut() {
    for (bool elementwise : {false, true})
      for (size_t i = 0; i + 1 < ops.size(); ++i)
        if (groupOf[i] < 0 && roles[i] == (elementwise ? Role::Elementwise : Role::Anchor))
          form(int(i));
    for (size_t i = 0; i < groups.size(); ++i)
      for (int op : std::vector<int>(groups[i].ops))
        if (auto reader = ops[op]->getAttrOfType<StringAttr>(fuseMark))
          fuse(int(i), reader.getValue());
    llvm::erase_if(groups, [](const Group &group) { return group.ops.empty(); });
    llvm::sort(groups, [](const Group &a, const Group &b) { return a.ops.back() < b.ops.back(); });
    for (auto [number, group] : llvm::enumerate(groups))
      for (int op : group.ops)
        groupOf[op] = int(number);
    Partition partition;
    for (const Group &group : groups)
      addStep(group, partition);
    return partition;
  }

private:
  struct Group {
    int anchor = 0;
    std::vector<int> ops; ///< ascending
  };

  Operation *terminator() const { return ops.back(); }

  void findRoles() {
    // Whether memory of a result is returned, through reshapes or at once.
    std::vector<bool> returned(ops.size());
    for (size_t i = ops.size() - 1; i-- > 0;) {
      Operation *op = ops[i];
      for (Operation *user : op->getUsers())
        returned[i] = returned[i] || user == terminator() || (isReshape(user) && returned[indices[user]]);
      roles[i] = findRole(op, returned[i]);
    }
  }

  Role findRole(Operation *op, bool returned) {
    if (op->hasAttr(storeMark))
      return Role::Elementwise; // of what is in front of it
    if (isReshape(op)) {
      Operation *source = Partition::rootOf(op->getResult(0)).getDefiningOp();
      // An argument under another shape that is returned has to be copied.
      bool isDirect = llvm::is_contained(op->getUsers(), terminator());
      return isDirect && !source ? Role::Anchor : Role::Reader;
    }
    if (isWorthKeeping(op) && !returned)
      return Role::Anchor;
    bool takesNothing = op->getNumOperands() == 0 || isa<aten::FullLikeOp>(op);
    bool isCopy = kindOf(op) == OpKind::View && !(isa<aten::CatOp>(op) && !op->hasOneUse());
    bool isArgumentCast = isa<aten::ToCopyOp>(op) && !Partition::rootOf(op->getOperand(0)).getDefiningOp();
    if ((takesNothing || isCopy || isArgumentCast) && !returned)
      return Role::Reader;
    return isElementwise(op) ? Role::Elementwise : Role::Anchor;
  }

  /// Whether an op of ORIGIN may be computed where one of OTHER is. Constants are wherever they are read.
  static bool agree(Origin origin, Origin other) {
    return origin == other || origin == Origin::Constants || other == Origin::Constants;
  }

  /// Whether OP makes of weights what would otherwise be made again in each run: a copy into one, or a narrower type.
  bool isWorthKeeping(Operation *op) {
    if (originOf[indices[op]] != Origin::Weights)
      return false;
    if (isa<aten::ToCopyOp>(op))
      return typeOf(op->getResult(0)).getElementTypeBitWidth() < typeOf(op->getOperand(0)).getElementTypeBitWidth();
    return isa<aten::CatOp>(op);
  }

  //===--------------------------------------------------------------------===//
  // Groups
  //===--------------------------------------------------------------------===//

  static size_t usesOf(Operation *op) { return size_t(llvm::range_size(op->getUses())); }

  /// Grows a group from the op ANCHOR and takes what is legal.
  void form(int anchor) {
    Group group;
    group.anchor = anchor;
    group.ops.push_back(anchor);
    StringRef family = defaultFamily(ops[anchor]);
    if (family != "generic") {
      addConsumers(group, family == "row" || family == "pointwise");
      // Elsewhere, what is in front would be computed once for each use.
      if (family == "row" || family == "pointwise")
        addProducers(group);
    }
    llvm::sort(group.ops);
    for (int op : group.ops)
      groupOf[op] = int(groups.size());
    groups.push_back(std::move(group));
  }

  /// Element-wise ops behind the anchor, in program order, as far as one value leaves the group.
  void addConsumers(Group &group, bool broadcasts) {
    constexpr size_t mostUndecided = 24; // behind the last legal op; keeps the time linear
    std::set<int> members{group.anchor}, pending;
    std::map<Operation *, size_t> outside; // by op of the group, how many uses are not in it
    size_t live = 0, legal = 1;
    int firstOutside = INT_MAX;
    auto take = [&](int index) {
      Operation *op = ops[index];
      for (Value operand : op->getOperands())
        if (auto it = outside.find(operand.getDefiningOp()); it != outside.end() && --it->second == 0)
          --live;
      outside[op] = usesOf(op);
      live += outside[op] > 0;
      for (Operation *user : op->getUsers())
        pending.insert(indices[user]);
      members.insert(index);
    };
    take(group.anchor);
    if (ops[group.anchor]->getNumResults() != 1)
      return;
    while (!pending.empty() && group.ops.size() < legal + mostUndecided) {
      int next = *pending.begin();
      pending.erase(pending.begin());
      if (!canJoin(next, members, broadcasts, firstOutside)) {
        firstOutside = std::min(firstOutside, next);
        continue;
      }
      take(next);
      group.ops.push_back(next);
      if (live <= 1)
        legal = group.ops.size();
    }
    group.ops.resize(legal);
  }

  bool canJoin(int index, const std::set<int> &members, bool broadcasts, int firstOutside) {
    Operation *op = ops[index];
    if (op == terminator() || op->hasAttr(splitMark) || roles[index] != Role::Elementwise || groupOf[index] >= 0 ||
        op->getNumResults() != 1)
      return false;
    if (llvm::any_of(members, [&](int member) { return !agree(originOf[member], originOf[index]); }))
      return false;
    for (Value operand : op->getOperands()) {
      Operation *source = operand.getDefiningOp();
      if (source && members.count(indices[source])) {
        // An epilogue runs once for each element of the anchor's result.
        if (!broadcasts && !op->hasAttr(storeMark) && typeOf(operand).getShape() != typeOf(op->getResult(0)).getShape())
          return false;
      } else if (source && indices[source] >= firstOutside) {
        return false; // it may wait for what waits for this group
      }
    }
    return true;
  }

  /// Element-wise ops whose result only this group uses.
  void addProducers(Group &group) {
    std::set<int> members(group.ops.begin(), group.ops.end());
    for (size_t at = 0; at < group.ops.size(); ++at)
      for (Value operand : ops[group.ops[at]]->getOperands()) {
        Operation *source = operand.getDefiningOp();
        if (!source || ops[group.ops[at]]->hasAttr(splitMark) || members.count(indices[source]) ||
            roles[indices[source]] != Role::Elementwise || groupOf[indices[source]] >= 0)
          continue;
        if (llvm::any_of(source->getUsers(), [&](Operation *user) { return !members.count(indices[user]); }) ||
            llvm::any_of(members, [&](int member) { return !agree(originOf[member], originOf[indices[source]]); }))
          continue;
        members.insert(indices[source]);
        group.ops.push_back(indices[source]);
      }
  }

  /// The groups that read VALUE, itself or by views. The return counts as -1.
  void findReaders(Value value, std::set<int> &found) {
    for (Operation *user : value.getUsers()) {
      const int index = indices[user];
      if (user == terminator() || roles[index] != Role::Reader)
        found.insert(user == terminator() ? -1 : groupOf[index]);
      else
        findReaders(user->getResult(0), found);
    }
  }

  /// Puts group NUMBER into the one group that reads what leaves it, where there is just one with an op of NAME. The
  /// one value, or op, that leaves that group still depends on all of it.
  void fuse(int number, StringRef name) {
    std::set<int> readers;
    for (int op : groups[number].ops)
      for (Value result : ops[op]->getResults())
        findReaders(result, readers);
    readers.erase(number);
    if (readers.size() != 1 || *readers.begin() < 0)
      return;
    Group &from = groups[number], &to = groups[*readers.begin()];
    if (!agree(originOf[from.anchor], originOf[to.anchor]) ||
        llvm::none_of(to.ops, [&](int op) { return ops[op]->getName().getStringRef() == name; }))
      return;
    if (kindOf(ops[from.anchor]) == OpKind::Contraction)
      to.anchor = from.anchor;
    to.ops.insert(to.ops.end(), from.ops.begin(), from.ops.end());
    llvm::sort(to.ops);
    for (int op : from.ops)
      groupOf[op] = *readers.begin();
    from.ops.clear();
  }

  //===--------------------------------------------------------------------===//
  // Texts
  //===--------------------------------------------------------------------===//

  /// The function of one group.
  struct Builder {
    Builder(Partitioner &owner, const Group &group, MLIRContext *context)
        : owner(owner), group(group), builder(context), loc(builder.getUnknownLoc()) {}

    OwningOpRef<ModuleOp> build() {
      OwningOpRef<ModuleOp> module = ModuleOp::create(loc);
      builder.setInsertionPointToEnd(module->getBody());
      auto func = func::FuncOp::create(builder, loc, "task", builder.getFunctionType({}, {}));
      body = func.addEntryBlock();
      builder.setInsertionPointToEnd(body);
      for (int op : group.ops)
        copy(owner.ops[op]);
      SmallVector<Value> results;
      for (int index : group.ops)
        for (Value result : owner.ops[index]->getResults())
          if (owner.leaves(result, index)) {
            writes.push_back(result);
            results.push_back(mapping.lookup(result));
          }
      func::ReturnOp::create(builder, loc, results);
      func.setType(builder.getFunctionType(body->getArgumentTypes(), ValueRange(results).getTypes()));
      for (auto [number, value] : llvm::enumerate(reads))
        copyDomain(value, func, unsigned(number));
      setPrecision(*module);
      if (llvm::any_of(group.ops, [&](int op) { return owner.ops[op]->hasAttr(storeMark); }))
        sinkPermutations(func);
      return module;
    }

    SmallVector<Value> reads, writes;

  private:
    void copy(Operation *op) {
      for (Value operand : op->getOperands())
        provide(operand);
      Operation *copied = builder.clone(*op, mapping);
      copied->setLoc(loc);
      copied->removeAttr(splitMark);
      copied->removeAttr(fuseMark);
      copied->removeAttr(storeMark);
    }

    /// Maps VALUE: to what the group computes, to an argument, or by copying the views that lead to it.
    void provide(Value value) {
      if (mapping.contains(value))
        return;
      Operation *op = value.getDefiningOp();
      if (op && owner.roles[owner.indices[op]] == Role::Reader) {
        Value root = Partition::rootOf(value);
        Operation *source = root.getDefiningOp();
        bool isOutside = !source || (owner.roles[owner.indices[source]] != Role::Reader && !isMember(source));
        // What only has another shape is read as it is.
        if (!isReshape(op) || !isOutside)
          return copy(op);
      }
      mapping.map(value, body->addArgument(value.getType(), loc));
      reads.push_back(value);
    }

    bool isMember(Operation *op) const { return llvm::is_contained(group.ops, owner.indices[op]); }

    /// What the network says of how VALUE is drawn, where it is an argument.
    void copyDomain(Value value, func::FuncOp func, unsigned number) {
      auto argument = dyn_cast<BlockArgument>(Partition::rootOf(value));
      if (!argument)
        return;
      auto init = owner.func.getArgAttrOfType<StringAttr>(argument.getArgNumber(), "kgen.init");
      const bool isWeight = owner.func.getArgAttr(argument.getArgNumber(), "kgen.parameter") != nullptr;
      std::string drawn = !init ? "normal(0, 1)" : isWeight ? roundInit(init.getValue()) : init.getValue().str();
      // The default, in the importer's words: as an activation is drawn.
      if (drawn != "normal(0, 1)")
        func.setArgAttr(number, "kgen.init", builder.getStringAttr(drawn));
      if (isWeight)
        func.setArgAttr(number, "kgen.parameter", builder.getUnitAttr());
    }

    /// A product is of the network's class; what has none is of the class that its own types give it.
    void setPrecision(ModuleOp module) {
      bool contraction = llvm::any_of(group.ops, [&](int op) { return kindOf(owner.ops[op]) == OpKind::Contraction; });
      Precision own = precisionOf(module);
      bool isFp32 = own == Precision::StrictFP32 || own == Precision::TF32;
      Precision chosen = contraction && isFp32 ? owner.precision : own;
      module->setAttr("kgen.precision", builder.getStringAttr(stringifyPrecision(chosen)));
      module->setAttr(kernels::kTiledProducts, builder.getUnitAttr());
    }

    Partitioner &owner;
    const Group &group;
    OpBuilder builder;
    Location loc;
    Block *body = nullptr;
    IRMapping mapping;
  };

  /// Whether an op outside of the group of RESULT, an op's of number INDEX, uses it.
  bool leaves(Value result, int index) {
    return llvm::any_of(result.getUsers(), [&](Operation *user) { return groupOf[indices[user]] != groupOf[index]; });
  }

  /// Whether VALUE, perhaps under another shape, is a result of the network.
  bool isReturned(Value value) {
    return llvm::any_of(value.getUsers(), [&](Operation *user) {
      return user == terminator() || (isReshape(user) && isReturned(user->getResult(0)));
    });
  }

  void addStep(const Group &group, Partition &partition) {
    Builder builder(*this, group, graph.getContext());
    OwningOpRef<ModuleOp> module = builder.build();
    if (builder.writes.empty())
      return; // nobody wants it
    std::string text;
    llvm::raw_string_ostream stream(text);
    module->print(stream);
    auto [known, isNew] = numbers.try_emplace(text, int(partition.tasks.size()));
    if (isNew) {
      char number[16];
      snprintf(number, sizeof number, "%02zu", partition.tasks.size());
      std::string stem = ops[group.anchor]->getName().stripDialect().split('.').first.str();
      auto func = *module->getOps<func::FuncOp>().begin();
      func.setName("t" + std::string(number) + "_" + stem);
      partition.tasks.push_back({number + ("-" + stem), std::move(module), 0});
    }
    ++partition.tasks[known->second].count;
    PartitionStep step;
    step.task = known->second;
    step.reads = std::move(builder.reads);
    step.writes = std::move(builder.writes);
    step.last = ops[group.ops.back()];
    step.prepare = llvm::none_of(group.ops, [&](int op) { return originOf[op] == Origin::Inputs; }) &&
                   llvm::none_of(step.writes, [&](Value value) { return isReturned(value); });
    partition.steps.push_back(std::move(step));
  }

  ModuleOp graph;
  func::FuncOp func;
  Precision precision;
  std::vector<Operation *> ops; ///< in program order, the return last
  llvm::DenseMap<Operation *, int> indices;
  std::vector<Role> roles;
  Origins origins;
  std::vector<Origin> originOf; ///< by op
  std::vector<int> groupOf;     ///< -1: none
  std::vector<Group> groups;
  llvm::StringMap<int> numbers; ///< of tasks, by text
};

graph::TensorFact describe(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  graph::TensorFact fact;
  llvm::raw_string_ostream(fact.dtype) << tensor.getElementType();
  fact.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  return fact;
}

} // namespace

FailureOr<Partition> partitionGraph(ModuleOp graph) {
  func::FuncOp func = findGraphFunction(graph);
  if (!func)
    return failure();
  return Partitioner(graph, func).cut();
}

FailureOr<graph::NetworkPartition> describePartition(ModuleOp graph, Partition &partition) {
  graph::NetworkPartition out;
  func::FuncOp func = findGraphFunction(graph);
  llvm::DenseMap<Value, int> numbers;
  for (Value argument : func.getArguments())
    numbers.try_emplace(argument, int(numbers.size()));
  for (PartitionTask &task : partition.tasks) {
    graph::NetworkTask described;
    described.name = task.name;
    described.count = task.count;
    llvm::raw_string_ostream stream(described.graph);
    task.module->print(stream);
    stream << "\n";
    auto body = *task.module->getOps<func::FuncOp>().begin();
    for (Operation &op : body.getBody().front().without_terminator())
      described.flops += cast<aten::AtenCostOpInterface>(op).getFlops();
    for (Type type : body.getArgumentTypes())
      described.inputs.push_back(describe(type));
    for (Type type : body.getResultTypes())
      described.outputs.push_back(describe(type));
    out.tasks.push_back(std::move(described));
  }
  for (PartitionStep &step : partition.steps) {
    graph::NetworkStep described;
    described.task = step.task;
    described.prepare = step.prepare;
    for (Value value : step.reads)
      described.reads.push_back(numbers.lookup(Partition::rootOf(value)));
    for (Value value : step.writes) {
      described.writes.push_back(int(numbers.size()));
      numbers.try_emplace(value, described.writes.back());
    }
    out.steps.push_back(std::move(described));
  }
  // What a run computes cannot be prepared from, whatever it depends on.
  std::vector<bool> prepared(numbers.size());
  for (unsigned i = 0; i < func.getNumArguments(); ++i)
    prepared[i] = true;
  for (graph::NetworkStep &step : out.steps) {
    step.prepare = step.prepare && llvm::all_of(step.reads, [&](int value) { return prepared[value]; });
    for (int value : step.writes)
      prepared[value] = step.prepare;
    out.tasks[step.task].prepares += step.prepare;
  }
  Operation *end = func.getBody().front().getTerminator();
  for (Value result : end->getOperands()) {
    Value root = Partition::rootOf(result);
    auto known = numbers.find(root);
    // A reshaped argument is a step's result itself.
    if (auto direct = numbers.find(result); direct != numbers.end())
      known = direct;
    if (known == numbers.end() || known->second < int(func.getNumArguments()))
      return end->emitError("expected results that a task computes, found an argument of the graph");
    if (llvm::is_contained(out.results, known->second))
      return end->emitError("expected different results, found one twice");
    out.results.push_back(known->second);
  }
  return out;
}

} // namespace kgen::pipelines
