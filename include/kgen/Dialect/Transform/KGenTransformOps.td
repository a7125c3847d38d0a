//===- KGenTransformOps.td - The rewrite directives ----------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// transform.kgen.*: what an idea may ask of a graph. One directive rewrites it
// (rewrite), four shape dispatches (select, fuse, fuse_siblings, split); all others
// are knobs that set keys of a dispatch's schedule, and follow from
// kgen/Schedule/ScheduleKeys.td.
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_TRANSFORM_KGENTRANSFORMOPS
#define KGEN_DIALECT_TRANSFORM_KGENTRANSFORMOPS

include "kgen/Dialect/Transform/KGenTransformEnums.td"
include "kgen/Schedule/ScheduleKeys.td"
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
// What is computed
//===----------------------------------------------------------------------===//

def KGenTransform_RewriteOp : KGenTransform_Op<"rewrite"> {
  let summary = "the same answer for less work";
  let description = [{
    Category C. Rewrites the graph by algebra that holds for real numbers, and for floats but
    for the order of sums. By name:

    - `reduce_first`: a sum or mean behind a product or a convolution is taken in
      front of it, through what is linear between the two (scales, biases, batch
      norms, residuals, views). Over a product's outputs the weights are summed,
      over its rows the inputs, over a convolution's pixels the inputs that each
      tap meets. Reductions of extent 1 go.
    - `pool_filters`: average pools in series become one, and an average pool behind
      a convolution (transposed: whose stride divides the pool's) becomes a wider
      filter with a larger stride, where that costs less.
    - `norm_statistics`: a group or instance norm of f32 that a pool or reduction
      makes less of becomes a difference, a product and a sum with numbers of each
      sample and channel, which its reader computes; a mean or sum of one over all
      pixels is made of the numbers alone.
    - `diagonal_products`: a product with a diagonal matrix (what `torch.diag` and
      `diag_embed` of a vector are exported as) scales rows or columns.
    - `compose_attention`: two products with a softmax between them, a scale and a
      mask, are one `aten.scaled_dot_product_attention`. Rows that a mask hides
      whole stay NaN.
    - `split_attention`: an `aten.scaled_dot_product_attention` without a mask, of
      heads deeper than 128 (of 16 bits: 256) or values of another depth than keys,
      is two products with a softmax between them.

    Only where nobody else reads what is no longer computed. Finding nothing to
    rewrite is a failure. Directives behind it see the rewritten graph.

    ```mlir
    transform.kgen.rewrite %f as reduce_first
    ```
  }];
  let arguments = (ins Transform_AnyOpType:$target, StrAttr:$rewrite);
  let assemblyFormat = "$target `as` custom<Word>($rewrite) attr-dict";
  let hasVerifier = 1;
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

/// A directive that sets the schedule keys whose records name it. Values are static or parameters
/// (transform.tune.knob).
class KGenTransform_Knob<Directive directive, list<Key> keys> : KGenTransform_Op<directive.Mnemonic> {
  defvar families = !foldl([]<string>, keys, outer, key,
      !foldl(outer, key.TakenBy, middle, taken,
          !foldl(middle, taken.Variants, names, variant,
              !if(!empty(!filter(name, names, !eq(name, variant.Family.Name))), names # [variant.Family.Name],
                  names))));
  let summary = "set " # !interleave(!foreach(key, keys, key.Name), " and ");
  let description = "Category " # directive.Category # ". Sets in the schedule\n"
      # !interleave(!foreach(key, keys, "- `" # key.Name # "`: " # key.Doc), "\n")
      # "\n\nFor dispatches of the families " # !interleave(families, ", ")
      # ", where their variant takes the key: the table of variants says which.\n\n```mlir\ntransform.kgen."
      # directive.Mnemonic # " %d " # directive.Example # "\n```\n";
  let arguments = (ins Transform_AnyOpType:$target, DictionaryAttr:$settings,
                       Variadic<TransformParamTypeInterface>:$params);
  let hasCustomAssemblyFormat = 1;
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// The directive's row in the table, which says what keys it sets.
    static const ::kgen::schedule::Directive &getRule();
  }];
  let extraClassDefinition = [{
    const ::kgen::schedule::Directive &$cppClass::getRule() {
      return *::kgen::schedule::findDirective("}] # directive.Mnemonic # [{");
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
      return ::kgen::directive::applyKnob(*this, getTarget(), getSettings(), getParams(), rewriter, state);
    }
    void $cppClass::getEffects(
        ::llvm::SmallVectorImpl<::mlir::SideEffects::EffectInstance<::mlir::MemoryEffects::Effect>> &effects) {
      ::mlir::transform::onlyReadsHandle((*this)->getOpOperands(), effects);
      ::mlir::transform::modifiesPayload(effects);
    }
  }];
}

foreach directive = !instances<Directive>() in {
  def "KGenTransform_" # directive.ClassName
      : KGenTransform_Knob<directive, !filter(key, !instances<Key>(),
            !not(!empty(!filter(one, [key.Of] # key.Also, !eq(one.Mnemonic, directive.Mnemonic)))))>;
}

#endif // KGEN_DIALECT_TRANSFORM_KGENTRANSFORMOPS
