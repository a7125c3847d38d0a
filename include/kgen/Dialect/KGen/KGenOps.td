//===- KGenOps.td - Ops of the kgen dialect ------------------*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_DIALECT_KGEN_KGENOPS
#define KGEN_DIALECT_KGEN_KGENOPS

include "mlir/IR/OpBase.td"
include "mlir/IR/BuiltinAttributes.td"
include "mlir/IR/SymbolInterfaces.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"
include "mlir/Interfaces/DestinationStyleOpInterface.td"
include "mlir/Interfaces/SideEffectInterfaces.td"
include "kgen/Dialect/KGen/KGenAttrs.td"
include "kgen/Dialect/KGen/KGenDialect.td"

class KGen_Op<string opMnemonic, list<Trait> traits = []> : Op<KGen_Dialect, opMnemonic, traits>;

def KGen_DispatchOp : KGen_Op<"dispatch", [IsolatedFromAbove, RecursiveMemoryEffects, SingleBlock]> {
  let summary = "a group of aten ops that becomes one kernel family instance";
  let description = [{
    The region computes the results from the inputs, which are its block
    arguments, with ops of the aten dialect. `schedule` names the kernel family
    and its parameters, `idea` says why. Both are optional; a dispatch without a
    schedule is of family `generic`. All tensors have static shapes. The name is
    the stem of the kernels' names and has to be unique in the module once
    lowered.

    ```mlir
    %0 = kgen.dispatch @relu idea(#kgen.idea<"vector loads", category = memory>)
        schedule(#kgen.schedule<family = pointwise, vec = 4>) ins(%x : tensor<8xf32>) {
    ^bb0(%a: tensor<8xf32>):
      %r = aten.relu %a : tensor<8xf32> -> tensor<8xf32>
      kgen.yield %r : tensor<8xf32>
    } : tensor<8xf32>
    ```
  }];
  let arguments = (ins SymbolNameAttr:$name, OptionalAttr<KGen_IdeaAttr>:$idea,
                       OptionalAttr<KGen_ScheduleAttr>:$schedule, Variadic<AnyRankedTensor>:$inputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let regions = (region SizedRegion<1>:$body);
  let assemblyFormat = [{
    $name (`idea` `(` qualified($idea)^ `)`)? (`schedule` `(` qualified($schedule)^ `)`)?
    (`ins` `(` $inputs^ `:` type($inputs) `)`)? attr-dict-with-keyword $body `:` type($results)
  }];
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    /// The family's word; "generic" without a schedule.
    ::llvm::StringRef getFamily();
    /// The yield that ends the region.
    ::kgen::YieldOp getYield();
  }];
}

def KGen_YieldOp : KGen_Op<"yield", [HasParent<"DispatchOp">, Pure, ReturnLike, Terminator]> {
  let summary = "the results of a dispatch";
  let description = [{
    Ends the region of a `kgen.dispatch`; its operands are the results.

    ```mlir
    kgen.yield %r : tensor<8xf32>
    ```
  }];
  let arguments = (ins Variadic<AnyRankedTensor>:$values);
  let assemblyFormat = "attr-dict ($values^ `:` type($values))?";
}

def KGen_SourceOp : KGen_Op<"source", [HasParent<"::mlir::ModuleOp">, Symbol]> {
  let summary = "one CUDA-C translation unit";
  let description = [{
    The whole text of the kernels of one dispatch, for one architecture. Its
    kernels are `extern "C" __global__` functions; a `kgen.launch` refers to one
    as `@source::@kernel`. The texts of a module survive concatenation: no two
    define the same name.

    ```mlir
    kgen.source @relu arch "sm_90a" "extern \22C\22 __global__ void relu_main(const float *x, float *y) { y[threadIdx.x] = fmaxf(x[threadIdx.x], 0.0f); }"
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrAttr:$arch, StrAttr:$text);
  let assemblyFormat = "$sym_name `arch` $arch $text attr-dict";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// True when the text defines or declares a function KERNEL.
    bool definesKernel(::llvm::StringRef kernel);
  }];
}

def KGen_LaunchOp : KGen_Op<"launch", [AttrSizedOperandSegments,
    DeclareOpInterfaceMethods<SymbolUserOpInterface>, DestinationStyleOpInterface, Pure]> {
  let summary = "one kernel launch, in destination style";
  let description = [{
    Launches `@source::@kernel`. The kernel's arguments are the buffers of the
    inputs, then the buffers of the outputs, then the scalars (i32, i64 and f32
    values), then the tensor maps. Blocks of a `cluster` run together and reach
    each other's shared memory; with `cooperative` all blocks of the grid are
    resident at once. Result N is output N after the launch; an output that comes from
    `tensor.empty` has no defined contents before. `grid` and `block` have three
    entries each, `shared` is dynamic shared memory in bytes.

    ```mlir
    %1 = kgen.launch @relu::@relu_main grid [1, 1, 1] block [8, 1, 1] shared 0
        ins(%x : tensor<8xf32>) outs(%e : tensor<8xf32>) : tensor<8xf32>
    ```
  }];
  let arguments = (ins SymbolRefAttr:$kernel, DenseI64ArrayAttr:$grid, DenseI64ArrayAttr:$block,
                       DefaultValuedAttr<I64Attr, "0">:$shared, OptionalAttr<DenseI64ArrayAttr>:$cluster,
                       UnitAttr:$cooperative, OptionalAttr<ArrayAttr>:$scalars, OptionalAttr<ArrayAttr>:$maps,
                       Variadic<AnyRankedTensor>:$inputs, Variadic<AnyRankedTensor>:$outputs);
  let results = (outs Variadic<AnyRankedTensor>:$results);
  let assemblyFormat = [{
    $kernel `grid` $grid `block` $block `shared` $shared (`cluster` $cluster^)? (`cooperative` $cooperative^)?
    (`scalars` $scalars^)? (`maps` $maps^)?
    (`ins` `(` $inputs^ `:` type($inputs) `)`)? `outs` `(` $outputs `:` type($outputs) `)`
    attr-dict `:` type($results)
  }];
  let hasVerifier = 1;
  let builders = [
    OpBuilder<(ins "::mlir::TypeRange":$types, "::mlir::SymbolRefAttr":$kernel, "::llvm::ArrayRef<int64_t>":$grid,
        "::llvm::ArrayRef<int64_t>":$block, "int64_t":$shared, "::mlir::ValueRange":$inputs,
        "::mlir::ValueRange":$outputs), [{
      build($_builder, $_state, types, kernel, $_builder.getDenseI64ArrayAttr(grid),
            $_builder.getDenseI64ArrayAttr(block), $_builder.getI64IntegerAttr(shared), ::mlir::DenseI64ArrayAttr(),
            ::mlir::UnitAttr(), ::mlir::ArrayAttr(), ::mlir::ArrayAttr(), inputs, outputs);
    }]>
  ];
  let extraClassDeclaration = [{
    ::mlir::MutableOperandRange getDpsInitsMutable() { return getOutputsMutable(); }
    /// The name of the kgen.source that defines the kernel.
    ::mlir::StringAttr getSourceName() { return getKernel().getRootReference(); }
    /// The kernel's function name in that source.
    ::llvm::StringRef getKernelName() { return getKernel().getLeafReference().getValue(); }
  }];
}

#endif // KGEN_DIALECT_KGEN_KGENOPS
