//===- KGenTransformOps.td - The rewrite directives ----------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transform.kgen.*: what an idea may ask of a graph. Four directives shape
// dispatches (select, fuse, fuse_siblings, split); all others are knobs that set keys of a
// dispatch's schedule. A new knob is one record here, plus its key in
// kgen/Dialect/KGen/ScheduleKeys.def when the key is new.
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_TRANSFORM_KGENTRANSFORMOPS
#define KGEN_DIALECT_TRANSFORM_KGENTRANSFORMOPS

include "kgen/Dialect/Transform/KGenTransformEnums.td"
include "mlir/Dialect/Transform/IR/TransformDialect.td"
include "mlir/Dialect/Transform/IR/TransformTypes.td"
include "mlir/Dialect/Transform/Interfaces/TransformInterfaces.td"
include "mlir/IR/OpBase.td"
include "mlir/Interfaces/SideEffectInterfaces.td"

class KGenTransform_Op<string opMnemonic> : Op<Transform_Dialect, "kgen." # opMnemonic, [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>,
    DeclareOpInterfaceMethods<TransformOpInterface>]> {
  let cppNamespace = "::kgen::directive";
}

//===----------------------------------------------------------------------===//
// Directives that shape dispatches
//===----------------------------------------------------------------------===//

def KGenTransform_SelectOp : KGenTransform_Op<"select"> {
  let summary = "put one aten op into a dispatch";
  let description = [{
    Category L. Finds the aten op of that name (the first one, or `number` N,
    counted from 0 in program order) among the ops under `target` that are in no
    dispatch, and forms a `kgen.dispatch` around it. The family is the op's own
    unless `as` gives another. Finding no such op is a failure.

    ```mlir
    %d = transform.kgen.select "aten.conv2d" in %f
    %e = transform.kgen.select "aten.relu" number 1 in %f as pointwise
    ```
  }];
  let arguments = (ins StrAttr:$op_name, DefaultValuedAttr<I64Attr, "0">:$number, Transform_AnyOpType:$target,
                       OptionalAttr<StrAttr>:$family);
  let results = (outs Transform_AnyOpType:$dispatch);
  let assemblyFormat = "$op_name (`number` $number^)? `in` $target (`as` custom<Word>($family)^)? attr-dict";
  let hasVerifier = 1;
}

def KGenTransform_FuseOp : KGenTransform_Op<"fuse"> {
  let summary = "absorb neighbours into a dispatch";
  let description = [{
    Category L. `consumers` absorbs ops that use the dispatch's results:
    element-wise ops of the same shape, after a convolution also windows and
    batch norm, in a row kernel also reductions and normalisations. `producers`
    absorbs element-wise ops that only the dispatch uses. Legal when no cycle
    between dispatches arises and when what becomes hidden has no user outside.
    The count is a number, `all` (as many as are legal, at least one) or `any`
    (as many as are legal, maybe none). Finding fewer is a failure that says
    what stood in the way. The handle stays valid.

    ```mlir
    transform.kgen.fuse %d consumers 2
    transform.kgen.fuse %d producers any
    ```
  }];
  let arguments = (ins Transform_AnyOpType:$target, KGenTransform_Direction:$direction, I64Attr:$count);
  let assemblyFormat = "$target $direction custom<FuseCount>($count) attr-dict";
  let hasVerifier = 1;
}

def KGenTransform_FuseSiblingsOp : KGenTransform_Op<"fuse_siblings"> {
  let summary = "join two independent dispatches of one family";
  let description = [{
    Category L. The first dispatch takes in the second one's ops and yields the
    results of both; its idea and schedule stay. Legal when neither needs a
    result of the other. Both handles denote the joined dispatch afterwards.

    ```mlir
    transform.kgen.fuse_siblings %d with %e
    ```
  }];
  let arguments = (ins Transform_AnyOpType:$target, Transform_AnyOpType:$other);
  let assemblyFormat = "$target `with` $other attr-dict";
}

def KGenTransform_SplitOp : KGenTransform_Op<"split"> {
  let summary = "cut a dispatch in two";
  let description = [{
    Category L. Cuts the dispatch before the aten op of that name in its region
    (the first one, or `number` N, counted from 0): what stands before it keeps
    the dispatch's name, idea and schedule, and the handle; the op and what
    follows it become a dispatch of the op's own family, the result. The values
    between the two travel through memory from then on. Naming the region's
    first op is a failure.

    ```mlir
    %e = transform.kgen.split %d at "aten.max_pool2d"
    ```
  }];
  let arguments = (ins Transform_AnyOpType:$target, StrAttr:$op_name, DefaultValuedAttr<I64Attr, "0">:$number);
  let results = (outs Transform_AnyOpType:$rest);
  let assemblyFormat = "$target `at` $op_name (`number` $number^)? attr-dict";
}

//===----------------------------------------------------------------------===//
// Knobs
//===----------------------------------------------------------------------===//

/// `words` as the elements of a C++ initialiser list.
class KGenTransform_Words<list<string> words> {
  string text = !interleave(!foreach(word, words, "\"" # word # "\""), ", ");
}

/// A directive that sets schedule keys. `keys`: what it may set, the first one without a name in the text;
/// `families`: where it makes sense, empty for everywhere; `category`: the letter of the seed category.
/// Values are static or parameters (transform.tune.knob).
class KGenTransform_Knob<string opMnemonic, string category, string what, string example, list<string> keys,
                         list<string> families = []> : KGenTransform_Op<opMnemonic> {
  let summary = "set " # !interleave(keys, " and ") # ": " # what;
  let description = "Category " # category # ". Sets the schedule's `" # !interleave(keys, "` and `") # "`: " # what
      # ". " # !if(!empty(families), "For every family.", "For the families " # !interleave(families, ", ") # ".")
      # " Ranges are those of `ScheduleKeys.def`."
      # "\n\n```mlir\ntransform.kgen." # opMnemonic # " %d " # example # "\n```\n";
  let arguments = (ins Transform_AnyOpType:$target, DictionaryAttr:$settings,
                       Variadic<TransformParamTypeInterface>:$params);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The schedule keys that this directive may set, and the families that know them.
    static const ::kgen::directive::KnobRule &getRule();
  }];
  let extraClassDefinition = [{
    const ::kgen::directive::KnobRule &$cppClass::getRule() {
      static const ::kgen::directive::KnobRule rule = {{ }] # KGenTransform_Words<keys>.text # [{ }, { }]
      # KGenTransform_Words<families>.text # [{ }};
      return rule;
    }
    ::mlir::ParseResult $cppClass::parse(::mlir::OpAsmParser &parser, ::mlir::OperationState &result) {
      return ::kgen::directive::parseKnob(parser, result, getRule());
    }
    void $cppClass::print(::mlir::OpAsmPrinter &printer) {
      ::kgen::directive::printKnob(printer, *this, getRule(), getTarget(), getSettings(), getParams());
    }
    ::llvm::LogicalResult $cppClass::verify() {
      return ::kgen::directive::verifyKnob(*this, getRule(), getSettings(), getParams());
    }
    ::mlir::DiagnosedSilenceableFailure $cppClass::apply(::mlir::transform::TransformRewriter &rewriter,
        ::mlir::transform::TransformResults &results, ::mlir::transform::TransformState &state) {
      return ::kgen::directive::applyKnob(*this, getRule(), getTarget(), getSettings(), getParams(), rewriter, state);
    }
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {
      ::mlir::transform::onlyReadsHandle((*this)->getOpOperands(), effects);
      ::mlir::transform::modifiesPayload(effects);
    }
  }];
}

// Parallelism and occupancy.
def KGenTransform_TileOp : KGenTransform_Knob<"tile", "P",
    "the block tile, [m, n, k] of a product or [rows, columns]", "[128, 96, 32]", ["tile"]>;
def KGenTransform_WarpTileOp : KGenTransform_Knob<"warp_tile", "P",
    "the tile of one warp", "[64, 48]", ["warp_tile"], ["attention", "conv", "gemm"]>;
def KGenTransform_PoolTileOp : KGenTransform_Knob<"pool_tile", "P",
    "pooled outputs of one block, per spatial dimension", "[4, 9]", ["pool_tile"], ["conv", "pool"]>;
def KGenTransform_RasterOp : KGenTransform_Knob<"raster", "P",
    "tiles of one group in the block order", "8", ["raster"], ["attention", "conv", "gemm"]>;
def KGenTransform_SplitKOp : KGenTransform_Knob<"split_k", "P",
    "grid partitions of the contraction", "4", ["split_k"], ["conv", "gemm"]>;
def KGenTransform_CoarsenOp : KGenTransform_Knob<"coarsen", "P", "outputs of one thread", "4", ["coarsen"]>;
def KGenTransform_RowsPerBlockOp : KGenTransform_Knob<"rows_per_block", "P",
    "rows of one block", "4", ["rows_per_block"], ["row", "scan"]>;
def KGenTransform_ThreadsPerRowOp : KGenTransform_Knob<"threads_per_row", "P",
    "threads that share one row", "128", ["threads_per_row"], ["row", "scan"]>;
def KGenTransform_SplitRowsOp : KGenTransform_Knob<"split_rows", "P",
    "grid partitions of one row", "8", ["split_rows"], ["row", "scan"]>;
def KGenTransform_ResidentOp : KGenTransform_Knob<"resident", "P",
    "where a row stays between its passes", "smem", ["resident", "column_packs", "lead"],
    ["attention", "row", "scan"]>;
def KGenTransform_OccupancyOp : KGenTransform_Knob<"occupancy", "P",
    "threads of a block and resident blocks that the launch bounds promise", "256 min_blocks = 2",
    ["block", "min_blocks"]>;

def KGenTransform_PersistentOp : KGenTransform_Knob<"persistent", "P",
    "blocks that stay and walk over the tiles", "static", ["persistent"], ["attention", "conv", "gemm"]>;
def KGenTransform_ClusterOp : KGenTransform_Knob<"cluster", "P",
    "blocks of a cluster, which share tiles by multicast", "2", ["cluster"]>;

// Memory access.
def KGenTransform_StoreOp : KGenTransform_Knob<"store", "M",
    "how finished tiles leave", "tma", ["store"], ["attention", "conv", "gemm"]>;
def KGenTransform_VecOp : KGenTransform_Knob<"vec", "M",
    "elements of one global memory access, at most 16 bytes", "4", ["vec"]>;
def KGenTransform_SmemLayoutOp : KGenTransform_Knob<"smem_layout", "M",
    "padding elements per row, or swizzle bytes, of a shared-memory tile", "smem_pad = 8", ["smem_pad", "swizzle"]>;
def KGenTransform_Im2colOp : KGenTransform_Knob<"im2col", "M",
    "how a convolution forms its left matrix, and how many channels shared memory holds at a time",
    "raw_smem slab_channels = 3", ["im2col", "slab_channels"], ["conv"]>;
def KGenTransform_CacheHintOp : KGenTransform_Knob<"cache_hint", "M",
    "cache policy of what is used once", "streaming", ["cache_hint"]>;

// Asynchronous operations and latency hiding.
def KGenTransform_PipelineOp : KGenTransform_Knob<"pipeline", "A",
    "how the next tile travels, and shared-memory buffers", "cp_async stages = 4", ["pipeline", "stages"]>;
def KGenTransform_SpecializeOp : KGenTransform_Knob<"specialize", "A",
    "warpgroups that compute, beside the one that copies, or the warps that load for each of a convolution's; those of "
    "attention may take turns at the tensor cores, and compute exponentials beside their own products",
    "2 pingpong = on overlap = off", ["consumers", "pingpong", "overlap", "producer_warps"],
    ["attention", "conv", "gemm"]>;
def KGenTransform_RegSplitOp : KGenTransform_Knob<"reg_split", "A",
    "registers of a copying and of a computing thread", "[40, 232]", ["reg_split"], ["attention", "conv", "gemm"]>;
def KGenTransform_MmaInflightOp : KGenTransform_Knob<"mma_inflight", "A",
    "stages whose products run while the next stage is waited for", "1", ["mma_inflight"],
    ["attention", "conv", "gemm"]>;

// Data type and precision.
def KGenTransform_MmaDtypeOp : KGenTransform_Knob<"mma_dtype", "D",
    "element type of the products' operands, within the precision class", "tf32", ["dtype"],
    ["attention", "conv", "gemm"]>;
def KGenTransform_SplitPrecisionOp : KGenTransform_Knob<"split_precision", "D",
    "fp32 operands as sums of two 16-bit ones, and the steps of k between fp32 additions", "fp16x3 promote_k = 128",
    ["split_precision", "promote_k"], ["conv", "gemm"]>;
def KGenTransform_ConvertAtOp : KGenTransform_Knob<"convert_at", "D",
    "where fp32 operands become 16-bit ones, scaled by powers of two", "prepass", ["convert_at"], ["conv", "gemm"]>;
def KGenTransform_FastMathOp : KGenTransform_Knob<"fast_math", "D",
    "approximate exp, division and square root", "on", ["fast_math"]>;

// Computation and instruction.
def KGenTransform_MmaOp : KGenTransform_Knob<"mma", "C",
    "tensor-core instructions", "wmma", ["mma", "dtype"], ["attention", "conv", "gemm"]>;
def KGenTransform_ThreadTileOp : KGenTransform_Knob<"thread_tile", "C",
    "the tile of one thread, in elements", "[8, 8]", ["thread_tile"]>;
def KGenTransform_ReduceOp : KGenTransform_Knob<"reduce", "C",
    "how a row is reduced; attention may keep its first shift until exponentials grow", "online lazy = on",
    ["reduce", "lazy"], ["attention", "row", "scan"]>;
def KGenTransform_EpilogueOp : KGenTransform_Knob<"epilogue", "C",
    "how accumulators reach global memory", "smem", ["epilogue"], ["attention", "conv", "gemm"]>;

// Control flow and loops.
def KGenTransform_UnrollOp : KGenTransform_Knob<"unroll", "L",
    "unroll factor of the innermost loop", "4", ["unroll"]>;

#endif // KGEN_DIALECT_TRANSFORM_KGENTRANSFORMOPS
