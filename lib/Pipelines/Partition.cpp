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

#include "EqualOps.h"
#include "Negations.h"
#include "ReshapeOrder.h"
#include "RowOrder.h"
#include "SameMemory.h"
#include "TrueMasks.h"
#include "kgen/Dialect/Aten/Algebra.h"
#include "kgen/Dialect/Aten/Aten.h"
#include "kgen/Dialect/Aten/ShapeInference.h"
#include "kgen/Dialect/Aten/Updates.h"
#include "kgen/Dialect/KGen/Dispatch.h"
#include "kgen/Dialect/KGen/Layouts.h"
#include "kgen/Dialect/KGen/NetworkMarks.h"
#include "kgen/Dialect/KGen/Origins.h"
#include "kgen/Dialect/KGen/Precision.h"
#include "kgen/Dialect/KGen/ScanAccess.h"
#include "kgen/Kernels/Passes.h"
#include "kgen/Pipelines/GraphFacts.h"
#include "kgen/Support/PlanLimits.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/IRMapping.h"
#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
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
  Stack,       ///< nothing: the steps of its operands write them where they lie in it
};

/// Of fewer operands a reader of a stack reads each by itself.
constexpr size_t fewestParts = 8;

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

/// Takes reshapes to the same shape out of FUNC, which would stand between an op and what its kernel writes through.
void dropIdentities(func::FuncOp func) {
  for (Operation &op : llvm::make_early_inc_range(func.getBody().front())) {
    if (!isReshape(&op) || op.getOperand(0).getType() != op.getResult(0).getType() ||
        !op.getOperand(0).getDefiningOp() ||
        llvm::any_of(op.getUsers(), [](Operation *user) { return user->hasTrait<OpTrait::IsTerminator>(); }))
      continue;
    op.getResult(0).replaceAllUsesWith(op.getOperand(0));
    op.erase();
  }
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
    for (unsigned i = 0; i < func.getNumResults(); ++i)
      if (std::optional<unsigned> argument = aten::findUpdate(func, i))
        updates[terminator()->getOperand(i)] = func.getArgument(*argument);
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
    for (auto [op, role] : llvm::zip_equal(ops, roles))
      if (role == Role::Stack)
        partition.stacks.push_back(op);
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
    for (size_t i = 0; i + 1 < ops.size(); ++i)
      findStack(int(i));
  }

  /// Makes a stack of op INDEX where each of its operands is what one step writes in a run, and can be written to its
  /// place in it: the results of a recurrent layer's time steps, say.
  void findStack(int index) {
    Operation *op = ops[index];
    if (op->getNumOperands() < fewestParts || !isStack(op) || op->hasAttr(storeMark) || op->hasAttr(splitMark))
      return;
    llvm::DenseSet<Value> parts;
    int64_t offset = 0;
    for (Value operand : op->getOperands()) {
      Value part = Partition::rootOf(operand);
      Operation *source = part.getDefiningOp();
      if (!source || offset % bufferAlignment || originOf[indices[source]] != Origin::Inputs ||
          (roles[indices[source]] != Role::Elementwise && roles[indices[source]] != Role::Anchor) || isReturned(part) ||
          stacked.contains(part) || !parts.insert(part).second)
        return;
      offset += bytesOf(operand.getType());
    }
    roles[index] = Role::Stack;
    stacked.insert(parts.begin(), parts.end());
  }

  Role findRole(Operation *op, bool returned) {
    if (isStore(op))
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
    // Family gemm keeps a triangle of its product for itself.
    const bool isEpilogue = isa<aten::TrilOp, aten::TriuOp>(op) && op->getOperand(0).getDefiningOp() &&
                            isa<aten::MmOp, aten::BmmOp, aten::MatmulOp>(op->getOperand(0).getDefiningOp());
    // Family scan writes from a row's end.
    Operation *scan = isa<aten::FlipOp>(op) ? op->getOperand(0).getDefiningOp() : nullptr;
    const bool isOrder = scan && isScan(scan) && llvm::is_contained(readScan(scan, /*leaves=*/false).views, op);
    return isElementwise(op) || isEpilogue || isOrder ? Role::Elementwise : Role::Anchor;
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

  /// The memory that VALUE is: through reshapes and slices of the outermost dimension.
  PartitionPlace placeOf(Value value) {
    PartitionPlace place{value, 0};
    while (Operation *op = place.root.getDefiningOp()) {
      auto offset = roles[indices[op]] == Role::Reader ? sliceOffset(op) : std::nullopt;
      if (!offset && !isReshape(op))
        break;
      place.offset += offset.value_or(0);
      place.root = op->getOperand(0);
    }
    return place;
  }

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
      if (readsOnce(family))
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
        if (!broadcasts && !isStore(op) && typeOf(operand).getShape() != typeOf(op->getResult(0)).getShape())
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
    Builder(Partitioner &owner, const Group &group, MLIRContext *context, const llvm::DenseSet<Value> &wholes)
        : owner(owner), group(group), wholes(wholes), builder(context), loc(builder.getUnknownLoc()) {}

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
      for (auto [number, place] : llvm::enumerate(places))
        copyDomain(place.root, func, unsigned(number));
      for (auto [number, value] : llvm::enumerate(writes))
        copyUpdate(value, func, unsigned(number));
      setPrecision(*module);
      if (llvm::any_of(group.ops, [&](int op) { return owner.ops[op]->hasAttr(storeMark); }))
        sinkPermutations(func);
      return module;
    }

    /// What the task reads in two ranges that overlap: as its own buffers, they would be told apart by nothing.
    llvm::DenseSet<Value> findOverlaps() const {
      std::map<void *, SmallVector<std::pair<int64_t, int64_t>>> ranges; // begin and end, by root
      llvm::DenseSet<Value> found;
      for (auto [value, place] : llvm::zip_equal(reads, places)) {
        const std::pair range(place.offset, place.offset + bytesOf(value.getType()));
        auto &others = ranges[place.root.getAsOpaquePointer()];
        if (llvm::any_of(others, [&](auto &other) {
              return other != range && other.first < range.second && range.first < other.second;
            }))
          found.insert(place.root);
        others.push_back(range);
      }
      return found;
    }

    SmallVector<Value> reads, writes;
    SmallVector<PartitionPlace> places; ///< of what is read

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
      PartitionPlace place{Partition::rootOf(value), 0};
      if (op && owner.roles[owner.indices[op]] == Role::Reader) {
        place = owner.placeOf(value);
        Operation *source = place.root.getDefiningOp();
        const bool isOutside = !source || (owner.roles[owner.indices[source]] != Role::Reader && !isMember(source));
        const bool isPart = bytesOf(value.getType()) != bytesOf(place.root.getType());
        // What only has another shape is read as it is, and so is what lies in one piece where a buffer may begin.
        if ((!isReshape(op) && !sliceOffset(op)) || !isOutside || place.offset % bufferAlignment ||
            (isPart && wholes.contains(place.root)))
          return copy(op);
      }
      mapping.map(value, body->addArgument(value.getType(), loc));
      reads.push_back(value);
      places.push_back(place);
    }

    bool isMember(Operation *op) const { return llvm::is_contained(group.ops, owner.indices[op]); }

    /// What the network says of how VALUE is drawn, where it is an argument.
    void copyDomain(Value value, func::FuncOp func, unsigned number) {
      auto argument = dyn_cast<BlockArgument>(value);
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

    /// Whether VALUE, result NUMBER of FUNC, is an argument of the network written in place.
    void copyUpdate(Value value, func::FuncOp func, unsigned number) {
      auto known = owner.updates.find(value);
      if (known == owner.updates.end())
        return;
      auto *place = llvm::find_if(places, [&](const PartitionPlace &each) { return each.root == known->second; });
      if (place != places.end())
        func.setResultAttr(number, updatesAttr, builder.getI64IntegerAttr(place - places.begin()));
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
    const llvm::DenseSet<Value> &wholes; ///< of which no part is read
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
    const llvm::DenseSet<Value> none;
    Builder first(*this, group, graph.getContext(), none);
    OwningOpRef<ModuleOp> module = first.build();
    const llvm::DenseSet<Value> overlaps = first.findOverlaps();
    Builder second(*this, group, graph.getContext(), overlaps);
    if (!overlaps.empty())
      module = second.build();
    Builder &builder = overlaps.empty() ? first : second;
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
    step.places = std::move(builder.places);
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
  llvm::DenseSet<Value> stacked;        ///< what lies in a stack
  llvm::DenseMap<Value, Value> updates; ///< results that are arguments written in place
  llvm::StringMap<int> numbers;         ///< of tasks, by text
};

graph::TensorFact describe(Type type) {
  auto tensor = cast<RankedTensorType>(type);
  graph::TensorFact fact;
  llvm::raw_string_ostream(fact.dtype) << tensor.getElementType();
  fact.shape.assign(tensor.getShape().begin(), tensor.getShape().end());
  return fact;
}

} // namespace

/// Cuts the function FUNC of GRAPH.
static Partition cutGraph(ModuleOp graph, func::FuncOp func) {
  aten::composeAttention(func);
  aten::joinStepProducts(func);
  aten::splitStepProducts(func);
  dropTrueMasks(func);
  dropExpansions(func);
  dropIdentities(func);
  aten::sliceFirst(func);
  aten::moveFactors(func);
  moveNegations(func);
  moveReshapes(func);
  moveRowPermutations(func);
  return Partitioner(graph, func).cut();
}

FailureOr<Partition> partitionGraph(ModuleOp graph) {
  func::FuncOp func = findGraphFunction(graph);
  if (!func)
    return failure();
  OwningOpRef<ModuleOp> other = graph.clone();
  const bool merges = mergeEqualOps(func);
  Partition partition = cutGraph(graph, func);
  if (!merges)
    return partition;
  // What several tasks read is a task of its own, where each reader might have computed it along the way.
  func::FuncOp apart = findGraphFunction(*other);
  Partition unmerged = cutGraph(*other, apart);
  auto runs = [](const Partition &cut) {
    return llvm::count_if(cut.steps, [](const PartitionStep &step) { return !step.prepare; });
  };
  if (runs(partition) <= runs(unmerged))
    return partition;
  func.getBody().takeBody(apart.getBody());
  return unmerged;
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
    described.flops = aten::leastFlops(body);
    for (Type type : body.getArgumentTypes())
      described.inputs.push_back(describe(type));
    for (Type type : body.getResultTypes())
      described.outputs.push_back(describe(type));
    out.tasks.push_back(std::move(described));
  }
  // Stacks are numbered behind what steps write; a step that reads one stands behind them all the same.
  size_t written = 0;
  for (const PartitionStep &step : partition.steps)
    written += step.writes.size();
  llvm::DenseMap<Value, int> stacks;
  for (Operation *stack : partition.stacks)
    stacks.try_emplace(stack->getResult(0), int(func.getNumArguments() + written + stacks.size()));
  Value unknown;
  auto numberOf = [&](Value root) {
    if (auto stack = stacks.find(root); stack != stacks.end())
      return stack->second;
    auto known = numbers.find(root);
    if (known != numbers.end())
      return known->second;
    unknown = root;
    return 0;
  };
  for (PartitionStep &step : partition.steps) {
    graph::NetworkStep described;
    described.task = step.task;
    described.prepare = step.prepare;
    for (const PartitionPlace &place : step.places) {
      described.reads.push_back(numberOf(place.root));
      described.offsets.push_back(place.offset);
    }
    if (llvm::all_of(described.offsets, [](int64_t offset) { return offset == 0; }))
      described.offsets.clear();
    for (Value value : step.writes) {
      described.writes.push_back(int(numbers.size()));
      numbers.try_emplace(value, described.writes.back());
    }
    out.steps.push_back(std::move(described));
  }
  for (Operation *stack : partition.stacks) {
    graph::NetworkStack parts;
    for (Value part : stack->getOperands())
      parts.parts.push_back(numberOf(Partition::rootOf(part)));
    out.stacks.push_back(std::move(parts));
    numbers.try_emplace(stack->getResult(0), stacks.lookup(stack->getResult(0)));
  }
  if (unknown)
    return emitError(unknown.getLoc(), "no task in front of those that read this value writes it");
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
