//===- Backend.h - Where a bundle's kernels run -----------------*- C++ -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
#pragma once

#include "Plan.h"

#include <memory>

namespace kgen::runtime {

/// A launch's parameters by value: what each argument's slot points at.
struct alignas(64) Slot {
  unsigned char bytes[128]; ///< a pointer, a scalar or a tensor map
};

/// The machine code of one bundle on one device. Functions throw std::runtime_error with one sentence.
class Backend {
public:
  /// A run on several streams.
  class Run {
  public:
    virtual ~Run() = default;
    /// Whether there is another launch to be queued, INDEX of the plan. If not, all streams are one again.
    virtual bool next(size_t &index) = 0;
  };

  virtual ~Backend() = default;
  /// The tensor map MAP with its buffer at BASE, into TO.
  virtual void encode(const TensorMap &map, void *base, Slot &to) = 0;
  /// Queues launch INDEX on STREAM; or where it goes in RUN, which has named it.
  virtual void launch(size_t index, void **arguments, void *stream, Run *run) = 0;
  /// Queues a copy of BYTES on STREAM.
  virtual void copy(void *to, const void *from, size_t bytes, void *stream) = 0;
  /// How the launches of a run that begins on STREAM, without those that prepare, are spread over streams beside it;
  /// null where they are not.
  virtual std::unique_ptr<Run> beginRun(void *) { return nullptr; }
};

/// On the device of the calling thread's current CUDA context. BUNDLE must outlive it.
std::unique_ptr<Backend> createCudaBackend(const Bundle &bundle);
/// Names that device; 0 where there is no context yet.
void *currentCudaContext();
std::unique_ptr<Backend> createHostBackend(const Bundle &bundle);

} // namespace kgen::runtime
