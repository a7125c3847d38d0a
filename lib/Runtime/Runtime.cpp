//===- Runtime.cpp - The C interface --------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Runtime/Runtime.h"

#include "Backend.h"

#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <stdexcept>

using namespace kgen::runtime;

struct kgen_bundle {
  Bundle data;
  std::mutex loading;
  /// By CUDA context; device host has the key null.
  std::map<void *, std::unique_ptr<Backend>> backends;

  Backend &backend() {
    void *context = data.host ? nullptr : currentCudaContext();
    std::lock_guard<std::mutex> one(loading);
    std::unique_ptr<Backend> &slot = backends[context];
    if (!slot)
      slot = data.host ? createHostBackend(data) : createCudaBackend(data);
    return *slot;
  }
};

/// Runs WORK; 0, or 1 with its words in MESSAGE.
template <typename Work>
static int guarded(char *message, size_t size, Work work) {
  try {
    work();
    return 0;
  } catch (const std::exception &error) {
    if (size)
      snprintf(message, size, "%s", error.what());
    return 1;
  }
}

int kgen_runtime_version(void) { return KGEN_RUNTIME_VERSION; }

int kgen_bundle_open(const char *folder, kgen_bundle **bundle, char *message, size_t size) {
  return guarded(message, size, [&] {
    auto opened = std::make_unique<kgen_bundle>();
    opened->data = readBundle(folder);
    *bundle = opened.release();
  });
}

void kgen_bundle_close(kgen_bundle *bundle) { delete bundle; }

size_t kgen_bundle_inputs(const kgen_bundle *bundle) { return bundle->data.plan.inputs.size(); }
size_t kgen_bundle_outputs(const kgen_bundle *bundle) { return bundle->data.plan.outputs.size(); }
size_t kgen_bundle_input_bytes(const kgen_bundle *bundle, size_t index) { return bundle->data.plan.inputs.at(index); }
size_t kgen_bundle_output_bytes(const kgen_bundle *bundle, size_t index) { return bundle->data.plan.outputs.at(index); }
size_t kgen_bundle_workspace_bytes(const kgen_bundle *bundle) { return bundle->data.plan.workspaceBytes; }
size_t kgen_bundle_launches(const kgen_bundle *bundle) { return bundle->data.plan.launches.size(); }

/// Queues every launch of BUNDLE.
static void queueLaunches(kgen_bundle &bundle, void *const *inputs, void *const *outputs, void *workspace,
                          void *stream) {
  const Plan &plan = bundle.data.plan;
  Backend &backend = bundle.backend();
  auto address = [&](const Pointer &pointer) -> char * {
    void *base = pointer.space == Space::Input    ? inputs[pointer.index]
                 : pointer.space == Space::Output ? outputs[pointer.index]
                                                  : static_cast<char *>(workspace) + plan.workspace[pointer.index];
    return static_cast<char *>(base) + pointer.offset;
  };
  // Kept by each thread, so that a run allocates nothing once the largest launch was seen.
  thread_local std::vector<Slot> slots;
  thread_local std::vector<void *> arguments;
  for (size_t i = 0; i < plan.launches.size(); ++i) {
    const Launch &launch = plan.launches[i];
    slots.resize(launch.arguments.size());
    arguments.resize(launch.arguments.size());
    for (size_t a = 0; a < launch.arguments.size(); ++a) {
      const Argument &argument = launch.arguments[a];
      arguments[a] = slots[a].bytes;
      if (argument.kind == Argument::Kind::Pointer) {
        char *at = address(argument.pointer);
        memcpy(slots[a].bytes, &at, sizeof at);
      } else if (argument.kind == Argument::Kind::Scalar) {
        memcpy(slots[a].bytes, argument.scalar.data(), argument.scalar.size());
      } else {
        backend.encode(argument.map, address(argument.map.base), slots[a]);
      }
    }
    backend.launch(i, arguments.data(), stream);
  }
}

int kgen_bundle_run(kgen_bundle *bundle, void *const *inputs, void *const *outputs, void *workspace, void *stream,
                    char *message, size_t size) {
  return guarded(message, size, [&] { queueLaunches(*bundle, inputs, outputs, workspace, stream); });
}

namespace {
/// One bundle of a chain, with the place of each of its buffers.
struct Step {
  kgen_bundle *bundle;
  std::vector<kgen_place> inputs, outputs;
  kgen_place workspace;
};
} // namespace

struct kgen_chain {
  std::vector<Step> steps;
};

kgen_chain *kgen_chain_create(void) { return new (std::nothrow) kgen_chain; }
void kgen_chain_destroy(kgen_chain *chain) { delete chain; }

int kgen_chain_add(kgen_chain *chain, kgen_bundle *bundle, const kgen_place *inputs, const kgen_place *outputs,
                   kgen_place workspace, char *message, size_t size) {
  return guarded(message, size, [&] {
    const Plan &plan = bundle->data.plan;
    chain->steps.push_back(
        {bundle, {inputs, inputs + plan.inputs.size()}, {outputs, outputs + plan.outputs.size()}, workspace});
  });
}

int kgen_chain_run(const kgen_chain *chain, void *const *bases, void *stream, char *message, size_t size) {
  return guarded(message, size, [&] {
    thread_local std::vector<void *> inputs, outputs;
    auto locate = [&](const std::vector<kgen_place> &places, std::vector<void *> &to) {
      to.clear();
      for (const kgen_place &place : places)
        to.push_back(static_cast<char *>(bases[place.base]) + place.offset);
    };
    for (const Step &step : chain->steps) {
      locate(step.inputs, inputs);
      locate(step.outputs, outputs);
      void *workspace = static_cast<char *>(bases[step.workspace.base]) + step.workspace.offset;
      queueLaunches(*step.bundle, inputs.data(), outputs.data(), workspace, stream);
    }
  });
}
