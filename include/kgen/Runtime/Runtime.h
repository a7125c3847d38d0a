//===- Runtime.h - Loads a bundle of kernels and launches it ----*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The C interface of libkgen_runtime.so, which needs neither MLIR nor PyTorch: the CUDA driver is loaded when the
// first bundle for a card is. A bundle is a folder:
//
//   bundle.json   {"version": 1, "device": "cuda" | "host", "arch": "sm_90a", "image": "kernel.cubin",
//                  "image_bytes": N, "plan": {...}}; `plan` is a launch plan as docs/contracts.md describes it
//   kernel.cubin  machine code for a card, or kernel.so for device host
//
// A network's has "images": [{"image": ..., "image_bytes": ...}, ...] instead, one for each module of its plan. Where
// its plan prepares values out of weights, the bundle is of version 2; where it writes inputs in place, of version 3.
//
// A bundle is trusted, like any library that one loads: candidates are measured elsewhere. Functions return 0, or 1
// with one sentence in MESSAGE (at most SIZE bytes, always terminated). Every function is thread safe.
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_RUNTIME_RUNTIME_H
#define KGEN_RUNTIME_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define KGEN_RUNTIME_VERSION 3

#ifdef KGEN_RUNTIME_BUILD
#define KGEN_RUNTIME_API __attribute__((visibility("default")))
#else
#define KGEN_RUNTIME_API
#endif

typedef struct kgen_bundle kgen_bundle;

/// KGEN_RUNTIME_VERSION of the library that was loaded.
KGEN_RUNTIME_API int kgen_runtime_version(void);

/// Reads the bundle in FOLDER. The machine code is loaded at the first run on each device.
KGEN_RUNTIME_API int kgen_bundle_open(const char *folder, kgen_bundle **bundle, char *message, size_t size);
KGEN_RUNTIME_API void kgen_bundle_close(kgen_bundle *bundle);

/// Number of inputs and outputs, in the order of the plan, and the bytes of a buffer.
KGEN_RUNTIME_API size_t kgen_bundle_inputs(const kgen_bundle *bundle);
KGEN_RUNTIME_API size_t kgen_bundle_outputs(const kgen_bundle *bundle);
KGEN_RUNTIME_API size_t kgen_bundle_input_bytes(const kgen_bundle *bundle, size_t index);
KGEN_RUNTIME_API size_t kgen_bundle_output_bytes(const kgen_bundle *bundle, size_t index);
/// Bytes of scratch memory that a run uses; 256-byte aligned pieces of one block. A run on prepared values needs
/// kgen_bundle_prepared_bytes less.
KGEN_RUNTIME_API size_t kgen_bundle_workspace_bytes(const kgen_bundle *bundle);
/// Kernels that a run launches, without those that prepare.
KGEN_RUNTIME_API size_t kgen_bundle_launches(const kgen_bundle *bundle);
/// Bytes of what is computed when weights change and read in each run, and the kernels that do that; 0: nothing is.
KGEN_RUNTIME_API size_t kgen_bundle_prepared_bytes(const kgen_bundle *bundle);
KGEN_RUNTIME_API size_t kgen_bundle_prepare_launches(const kgen_bundle *bundle);
/// 1 where what is prepared depends on input INDEX, else 0.
KGEN_RUNTIME_API int kgen_bundle_prepares_from(const kgen_bundle *bundle, size_t index);
/// 1 where a run on prepared values reads input INDEX, else 0: kgen_bundle_run_prepared needs no memory for that one.
KGEN_RUNTIME_API int kgen_bundle_run_reads(const kgen_bundle *bundle, size_t index);

/// The input that output INDEX is, written in place; -1: none. Where the caller gives both the same memory the run
/// changes it; else it begins with a copy of the input.
KGEN_RUNTIME_API int kgen_bundle_updates(const kgen_bundle *bundle, size_t index);

/// Queues every launch of the plan on STREAM (a CUstream; ignored on device host, where they have run on return).
/// INPUTS and OUTPUTS are row-major, contiguous and at least 16-byte aligned, in memory of the current context's
/// device. Nothing is allocated and nothing waits, so that a CUDA graph can capture a run after the first one on
/// that device, which loads the machine code. A plan that prepares does so in each run, in WORKSPACE.
KGEN_RUNTIME_API int kgen_bundle_run(kgen_bundle *bundle, void *const *inputs, void *const *outputs, void *workspace,
                                     void *stream, char *message, size_t size);

/// Fills PREPARED, kgen_bundle_prepared_bytes of memory that the caller keeps, out of those INPUTS that
/// kgen_bundle_prepares_from names; the others are not read. To be called again whenever one of them changed.
KGEN_RUNTIME_API int kgen_bundle_prepare(kgen_bundle *bundle, void *const *inputs, void *prepared, void *workspace,
                                         void *stream, char *message, size_t size);
/// As kgen_bundle_run, on what kgen_bundle_prepare left in PREPARED. Of INPUTS those that kgen_bundle_run_reads names
/// are used; the others may be null.
KGEN_RUNTIME_API int kgen_bundle_run_prepared(kgen_bundle *bundle, void *const *inputs, void *const *outputs,
                                              void *prepared, void *workspace, void *stream, char *message,
                                              size_t size);

/// Bundles that one call runs in their order, so that a network costs no more than its launches. Each buffer of a
/// bundle has a place: one of the bases that kgen_chain_run gets, and bytes from there on.
typedef struct kgen_chain kgen_chain;
typedef struct {
  uint64_t base, offset;
} kgen_place;

KGEN_RUNTIME_API kgen_chain *kgen_chain_create(void);
KGEN_RUNTIME_API void kgen_chain_destroy(kgen_chain *chain);
/// BUNDLE, which must outlive CHAIN, comes last; a place for each of its inputs, outputs and for its workspace.
KGEN_RUNTIME_API int kgen_chain_add(kgen_chain *chain, kgen_bundle *bundle, const kgen_place *inputs,
                                    const kgen_place *outputs, kgen_place workspace, char *message, size_t size);
/// The same with a place for what BUNDLE prepares, which a run reads; WORKSPACE need not have room for it.
KGEN_RUNTIME_API int kgen_chain_add_prepared(kgen_chain *chain, kgen_bundle *bundle, const kgen_place *inputs,
                                             const kgen_place *outputs, kgen_place workspace, kgen_place prepared,
                                             char *message, size_t size);
/// Prepares what the bundles that have such a place keep, out of inputs that no bundle of the chain writes.
KGEN_RUNTIME_API int kgen_chain_prepare(const kgen_chain *chain, void *const *bases, void *stream, char *message,
                                        size_t size);
/// As kgen_bundle_run for every bundle. Places are 16-byte aligned; what one bundle writes a later one may read or
/// overwrite.
KGEN_RUNTIME_API int kgen_chain_run(const kgen_chain *chain, void *const *bases, void *stream, char *message,
                                    size_t size);

#ifdef __cplusplus
}
#endif
#endif
