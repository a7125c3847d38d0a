@ORIGINAL@


import torch
from torch.utils.cpp_extension import load_inline

_cuda = """
@CUDA@
"""

_bridge = r"""
#include <torch/extension.h>
#include <ATen/cuda/CUDAContext.h>
void launch(void *const *in, void *const *out, char *workspace, cudaStream_t stream);
void run(std::vector<torch::Tensor> in, std::vector<torch::Tensor> out, torch::Tensor workspace) {
  std::vector<void *> from, to;
  for (auto &tensor : in)
    from.push_back(tensor.data_ptr());
  for (auto &tensor : out)
    to.push_back(tensor.data_ptr());
  launch(from.data(), to.data(), static_cast<char *>(workspace.data_ptr()), at::cuda::getCurrentCUDAStream());
}
"""

_kernels = load_inline(name="kgen_@NAME@", cpp_sources=[_bridge], cuda_sources=[_cuda], functions=["run"],
                       extra_cuda_cflags=["-O3", "-std=c++17", "-gencode", "@GENCODE@"] + [
                           # PyTorch switches the conversions of half types off.
                           "-U__CUDA_NO_" + word for word in ("HALF_OPERATORS__", "HALF_CONVERSIONS__", "BFLOAT16_CONVERSIONS__",
                                                              "HALF2_OPERATORS__")])
_TYPES = {"f64": torch.float64, "f32": torch.float32, "f16": torch.float16, "bf16": torch.bfloat16, "i64": torch.int64,
          "i32": torch.int32, "i8": torch.int8, "i1": torch.bool}


class ModelNew(Model):
    def forward(self, *inputs):
        given = [tensor.detach().contiguous() for tensor in (@ARGUMENTS@,)]
        results = [torch.empty(shape, dtype=_TYPES[dtype], device=given[0].device) for dtype, shape in @OUTPUTS@]
        workspace = torch.empty(@WORKSPACE@ + 256, dtype=torch.uint8, device=given[0].device)
        _kernels.run(given, results, workspace)
        return results[0] if len(results) == 1 else tuple(results)
