//===- Runtime.cpp - The C interface --------------------------------------===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "kgen/Runtime/Runtime.h"

#include "Backend.h"

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <map>
#include <mutex>
#include <new>
#include <optional>
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
size_t kgen_bundle_workspace_bytes(const kgen_bundle *bundle) {
  return bundle->data.plan.workspaceBytes + bundle->data.plan.preparedBytes;
}
size_t kgen_bundle_launches(const kgen_bundle *bundle) {
  return bundle->data.plan.launches.size() - bundle->data.plan.prepareLaunches;
}
size_t kgen_bundle_prepared_bytes(const kgen_bundle *bundle) { return bundle->data.plan.preparedBytes; }
size_t kgen_bundle_prepare_launches(const kgen_bundle *bundle) { return bundle->data.plan.prepareLaunches; }

/// Whether one of the launches BEGIN up to END of PLAN takes a pointer into input INDEX, or boxes of it.
static bool takesInput(const Plan &plan, size_t begin, size_t end, size_t index) {
  for (size_t i = begin; i < end; ++i)
    for (const Argument &argument : plan.launches[i].arguments) {
      if (argument.kind == Argument::Kind::Scalar)
        continue;
      const Pointer &pointer = argument.kind == Argument::Kind::Map ? argument.map.base : argument.pointer;
      if (pointer.space == Space::Input && pointer.index == index)
        return true;
    }
  return false;
}

int kgen_bundle_prepares_from(const kgen_bundle *bundle, size_t index) {
  const Plan &plan = bundle->data.plan;
  return takesInput(plan, 0, plan.prepareLaunches, index);
}

int kgen_bundle_run_reads(const kgen_bundle *bundle, size_t index) {
  const Plan &plan = bundle->data.plan;
  return std::count(plan.updates.begin(), plan.updates.end(), int(index)) > 0 ||
         takesInput(plan, plan.prepareLaunches, plan.launches.size(), index);
}

int kgen_bundle_updates(const kgen_bundle *bundle, size_t index) { return bundle->data.plan.updates.at(index); }

/// Which launches of a plan.
enum class Part { All, Prepare, Run };

/// Queues launches of BUNDLE.
static void queueLaunches(kgen_bundle &bundle, Part part, void *const *inputs, void *const *outputs, void *prepared,
                          void *workspace, void *stream) {
  const Plan &plan = bundle.data.plan;
  Backend &backend = bundle.backend();
  auto address = [&](const Pointer &pointer) -> char * {
    void *base = pointer.space == Space::Input      ? inputs[pointer.index]
                 : pointer.space == Space::Output   ? outputs[pointer.index]
                 : pointer.space == Space::Prepared ? static_cast<char *>(prepared) + plan.workspace[pointer.index]
                                                    : static_cast<char *>(workspace) + plan.workspace[pointer.index];
    return static_cast<char *>(base) + pointer.offset;
  };
  // Kept by each thread, so that a run allocates nothing once the largest launch was seen.
  thread_local std::vector<Slot> slots;
  thread_local std::vector<void *> arguments;
  const size_t begin = part == Part::Run ? plan.prepareLaunches : 0;
  const size_t end = part == Part::Prepare ? plan.prepareLaunches : plan.launches.size();
  auto queue = [&](size_t index, Backend::Run *run) {
    const Launch &launch = plan.launches[index];
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
    backend.launch(index, arguments.data(), stream, run);
  };
  for (size_t o = 0; o < plan.outputs.size() && part != Part::Prepare; ++o)
    if (const int input = plan.updates[o]; input >= 0 && outputs[o] != inputs[input])
      backend.copy(outputs[o], inputs[input], plan.outputs[o], stream);
  for (size_t i = begin; i < end; ++i) {
    if (i == plan.prepareLaunches)
      if (std::unique_ptr<Backend::Run> run = backend.beginRun(stream)) {
        while (run->next(i))
          queue(i, run.get());
        return;
      }
    queue(i, nullptr);
  }
}

int kgen_bundle_run(kgen_bundle *bundle, void *const *inputs, void *const *outputs, void *workspace, void *stream,
                    char *message, size_t size) {
  return guarded(message, size, [&] {
    void *prepared = static_cast<char *>(workspace) + bundle->data.plan.workspaceBytes;
    queueLaunches(*bundle, Part::All, inputs, outputs, prepared, workspace, stream);
  });
}

int kgen_bundle_prepare(kgen_bundle *bundle, void *const *inputs, void *prepared, void *workspace, void *stream,
                        char *message, size_t size) {
  return guarded(message, size,
                 [&] { queueLaunches(*bundle, Part::Prepare, inputs, nullptr, prepared, workspace, stream); });
}

int kgen_bundle_run_prepared(kgen_bundle *bundle, void *const *inputs, void *const *outputs, void *prepared,
                             void *workspace, void *stream, char *message, size_t size) {
  return guarded(message, size,
                 [&] { queueLaunches(*bundle, Part::Run, inputs, outputs, prepared, workspace, stream); });
}

namespace {
/// One bundle of a chain, with the place of each of its buffers.
struct Step {
  kgen_bundle *bundle;
  std::vector<kgen_place> inputs, outputs;
  kgen_place workspace;
  std::optional<kgen_place> prepared; ///< where the caller keeps it
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
        {bundle, {inputs, inputs + plan.inputs.size()}, {outputs, outputs + plan.outputs.size()}, workspace, {}});
  });
}

int kgen_chain_add_prepared(kgen_chain *chain, kgen_bundle *bundle, const kgen_place *inputs, const kgen_place *outputs,
                            kgen_place workspace, kgen_place prepared, char *message, size_t size) {
  if (int failed = kgen_chain_add(chain, bundle, inputs, outputs, workspace, message, size))
    return failed;
  chain->steps.back().prepared = prepared;
  return 0;
}

/// Queues the launches of CHAIN, or with PREPARE those of it that prepare.
static int queueChain(const kgen_chain *chain, bool prepare, void *const *bases, void *stream, char *message,
                      size_t size) {

  return guarded(message, size, [&] {
    thread_local std::vector<void *> inputs, outputs;
    auto locate = [&](const std::vector<kgen_place> &places, std::vector<void *> &to) {
      to.clear();
      for (const kgen_place &place : places)
        to.push_back(static_cast<char *>(bases[place.base]) + place.offset);
    };
    auto at = [&](const kgen_place &place) { return static_cast<char *>(bases[place.base]) + place.offset; };
    for (const Step &step : chain->steps) {
      if (prepare && !step.prepared)
        continue;
      locate(step.inputs, inputs);
      locate(step.outputs, outputs);
      char *workspace = at(step.workspace);
      char *prepared = step.prepared ? at(*step.prepared) : workspace + step.bundle->data.plan.workspaceBytes;
      const Part part = prepare ? Part::Prepare : step.prepared ? Part::Run : Part::All;
      queueLaunches(*step.bundle, part, inputs.data(), outputs.data(), prepared, workspace, stream);
    }
  });
}

int kgen_chain_prepare(const kgen_chain *chain, void *const *bases, void *stream, char *message, size_t size) {
  return queueChain(chain, /*prepare=*/true, bases, stream, message, size);
}

int kgen_chain_run(const kgen_chain *chain, void *const *bases, void *stream, char *message, size_t size) {
  return queueChain(chain, /*prepare=*/false, bases, stream, message, size);
}
