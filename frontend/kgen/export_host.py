# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Host code in CUDA-C++ that queues a launch plan's kernels: for exports, which nvcc builds."""
import math

_TYPES = {"f64": "DOUBLE", "f32": "FLOAT32", "f16": "FLOAT16", "bf16": "BFLOAT16", "i64": "INT64", "i32": "INT32",
          "i8": "UINT8", "i1": "UINT8"}
_BYTES = {"f64": 8, "f32": 4, "f16": 2, "bf16": 2, "i64": 8, "i32": 4, "i8": 1, "i1": 1}

_PRELUDE = r"""
#include <cuda.h>
#include <cuda_runtime.h>
#include <cstdint>
#include <stdexcept>
#include <string>

namespace kgen_host {

inline void check(cudaError_t error, const char *what) {
  if (error != cudaSuccess)
    throw std::runtime_error(std::string(what) + ": " + cudaGetErrorString(error));
}

inline CUtensorMap tensor_map(CUtensorMapDataType type, int rank, void *base, const uint64_t *dims,
                              const uint64_t *strides, const uint32_t *box, int swizzle, int l2) {
  static void *encode = nullptr;
  if (!encode) {
    cudaDriverEntryPointQueryResult found;
#if CUDART_VERSION >= 12050
    check(cudaGetDriverEntryPointByVersion("cuTensorMapEncodeTiled", &encode, 12000, cudaEnableDefault, &found), "driver");
#else
    check(cudaGetDriverEntryPoint("cuTensorMapEncodeTiled", &encode, cudaEnableDefault, &found), "driver");
#endif
  }
  uint32_t steps[5] = {1, 1, 1, 1, 1};
  CUtensorMap map;
  using Encode = CUresult (*)(CUtensorMap *, CUtensorMapDataType, cuuint32_t, void *, const cuuint64_t *,
                              const cuuint64_t *, const cuuint32_t *, const cuuint32_t *, CUtensorMapInterleave,
                              CUtensorMapSwizzle, CUtensorMapL2promotion, CUtensorMapFloatOOBfill);
  auto error = reinterpret_cast<Encode>(encode)(
      &map, type, rank, base, reinterpret_cast<const cuuint64_t *>(dims), reinterpret_cast<const cuuint64_t *>(strides), box,
      steps, CU_TENSOR_MAP_INTERLEAVE_NONE, CUtensorMapSwizzle(swizzle), CUtensorMapL2promotion(l2),
      CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE);
  if (error != CUDA_SUCCESS)
    throw std::runtime_error("the driver refuses a tensor map");
  return map;
}

inline void launch(const void *kernel, dim3 grid, dim3 block, size_t shared, cudaStream_t stream, dim3 cluster,
                   bool cooperative, void **arguments) {
  if (shared > 0)
    check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize, int(shared)), "shared memory");
  cudaLaunchAttribute attributes[2] = {};
  cudaLaunchConfig_t config = {};
  config.gridDim = grid, config.blockDim = block, config.dynamicSmemBytes = shared, config.stream = stream;
  config.attrs = attributes;
  if (cluster.x * cluster.y * cluster.z > 1) {
    attributes[config.numAttrs].id = cudaLaunchAttributeClusterDimension;
    attributes[config.numAttrs].val.clusterDim.x = cluster.x;
    attributes[config.numAttrs].val.clusterDim.y = cluster.y;
    attributes[config.numAttrs++].val.clusterDim.z = cluster.z;
  }
  if (cooperative) {
    attributes[config.numAttrs].id = cudaLaunchAttributeCooperative;
    attributes[config.numAttrs++].val.cooperative = 1;
  }
  check(cudaLaunchKernelExC(&config, kernel, arguments), "launch");
}

} // namespace kgen_host
"""


def _log(value, first):
    return 0 if value == 0 else 1 if value == first else 2 if value == 2 * first else 3


def _number(word):
    return 0 if word in (None, "none") else int(str(word).rstrip("B"))


def workspace_bytes(plan):
    """Bytes of the one block that holds all of PLAN's workspace, in 256-byte aligned pieces."""
    return sum((piece["bytes"] + 255) // 256 * 256 for piece in plan.get("workspace", []))


def host_code(plan, function):
    """`void FUNCTION(void *const *in, void *const *out, char *workspace, cudaStream_t stream)`; throws std::runtime_error."""
    offsets, total = [], 0
    for piece in plan.get("workspace", []):
        offsets.append(total)
        total += (piece["bytes"] + 255) // 256 * 256

    def address(argument):
        name = argument["buffer"]
        kind, index = name.rstrip("0123456789"), int(name.lstrip("inoutws"))
        base = {"in": f"static_cast<char *>(in[{index}])", "out": f"static_cast<char *>(out[{index}])"}.get(kind)
        offset = argument.get("offset", 0) + (offsets[index] if kind == "ws" else 0)
        base = base or "workspace"
        return f"{base} + {offset}" if offset else base

    lines = [_PRELUDE, f"void {function}(void *const *in, void *const *out, char *workspace, cudaStream_t stream) {{",
             "  (void)workspace;"]
    for index, buffer in enumerate(plan["outputs"]):
        if "updates" in buffer:  # its kernels leave most of it as it was
            size = math.prod(buffer["shape"]) * _BYTES[buffer["dtype"]]
            source = buffer["updates"]
            lines += [f"  if (out[{index}] != in[{source}])",
                      f"    kgen_host::check(cudaMemcpyAsync(out[{index}], in[{source}], {size}, cudaMemcpyDeviceToDevice, stream), \"copy\");"]
    for launch in plan["launches"]:
        lines.append("  {")
        slots = []
        for index, argument in enumerate(launch["args"]):
            slot = f"a{index}"
            if "buffer" in argument:
                lines.append(f"    void *{slot} = {address(argument)};")
            elif "tensor_map" in argument:
                spec = argument["tensor_map"]
                def listed(values, kind):
                    return f"{kind}[5] = {{{', '.join(map(str, values))}}}"
                lines += [f"    uint64_t {listed(spec['dims'], f'd{index}')};",
                          f"    uint64_t {listed(spec.get('strides', []) or [0], f's{index}')};",
                          f"    uint32_t {listed(spec['box'], f'b{index}')};",
                          f"    CUtensorMap {slot} = kgen_host::tensor_map(CU_TENSOR_MAP_DATA_TYPE_{_TYPES[spec['dtype']]}, "
                          f"{len(spec['dims'])}, {address(spec)}, d{index}, s{index}, b{index}, "
                          f"{_log(_number(spec.get('swizzle')), 32)}, {_log(_number(spec.get('l2')), 64)});"]
            else:
                kind, value = next(iter(argument.items()))
                c_type = {"i32": "int32_t", "i64": "int64_t", "f32": "float"}[kind]
                lines.append(f"    {c_type} {slot} = {c_type}({value!r});")
            slots.append(f"&{slot}")
        dims = {key: ", ".join(map(str, launch.get(key, [1, 1, 1]))) for key in ("grid", "block", "cluster")}
        lines += [f"    void *arguments[] = {{{', '.join(slots)}}};",
                  f"    kgen_host::launch(reinterpret_cast<const void *>(&{launch['kernel']}), dim3({dims['grid']}), "
                  f"dim3({dims['block']}), {launch.get('shared_bytes', 0)}, stream, dim3({dims['cluster']}), "
                  f"{'true' if launch.get('cooperative') else 'false'}, arguments);", "  }"]
    lines.append("}")
    return "\n".join(lines) + "\n"
