# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of the transformers package: kgen.compile gives PyTorch's answers whole, and import_module writes graphs that mean the same."""
import importlib.util
import os
import sys
import unittest
import warnings
from unittest import mock

import torch

import kgen
from kgen import backend
from kgen.compiler import difference
from kgen.importer import import_module
from tests.models import MODELS, build, build_whole
from tests.oracle_check import compare_module
from tests.support import kgen_opt


@unittest.skipUnless(importlib.util.find_spec("transformers"), "needs the transformers package")
class Models(unittest.TestCase):
    """In CI on device host. What every model's kernels are made for: its own class, all of its outputs, float32."""

    def equal(self, found, expected):
        """FOUND is EXPECTED, whatever holds it, and its tensors within class strict-fp32."""
        self.assertIs(type(found), type(expected))
        if isinstance(expected, torch.Tensor):
            self.assertIsNone(difference(found, expected, "strict-fp32"))
        elif isinstance(expected, (list, tuple)):
            self.assertEqual(len(found), len(expected))
            for pair in zip(found, expected):
                self.equal(*pair)
        elif isinstance(expected, dict):
            self.equal(list(found.items()), list(expected.items()))
        elif isinstance(expected, torch.nn.Module) or not hasattr(expected, "__dict__") or callable(expected):
            self.assertEqual(found, expected)
        else:
            self.equal(vars(found), vars(expected))
        return expected

    def test_every_model_compiles_whole(self):
        for name in MODELS:
            with self.subTest(name), torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                module, keywords = build_whole(name)
                compiled = kgen.compile(module, (), keywords)
                coverage = kgen.report(compiled)
                self.assertEqual(coverage.share, 1, coverage)
                before = self.equal(compiled(**keywords), module(**keywords))
                generator = torch.Generator().manual_seed(2)
                for parameter in module.parameters():
                    parameter.add_(torch.randn(parameter.shape, generator=generator), alpha=0.02)
                after = self.equal(compiled(**keywords), module(**keywords))
                self.assertTrue(difference(after[0], before[0], "strict-fp32"), "the weights had no effect")
                self.assertFalse(compiled.misses)

    def test_the_cache_of_a_compiled_model_goes_on(self):
        module, keywords = build_whole("gpt2")
        with torch.no_grad(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            compiled = kgen.compile(module, (), keywords)
            for _ in range(2):
                steps = [model(input_ids=keywords["input_ids"][:, :1], past_key_values=model(**keywords).past_key_values)
                         for model in (compiled, module)]
                self.equal(steps[0].logits, steps[1].logits)

    def test_generate_with_a_static_cache(self):
        """transformers' own loop, its steps by the backend: the same tokens, and each cache is written where it lies."""
        import transformers
        from transformers.generation.configuration_utils import CompileConfig
        sizes = {"vocab_size": 96, "hidden_size": 32, "intermediate_size": 64, "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
                 "max_position_embeddings": 64, "pad_token_id": 0, "eos_token_id": None}
        torch.manual_seed(3)
        made = []
        real = backend.CompiledGraph
        for kind in ("Llama", "Qwen3"):
            model = getattr(transformers, f"{kind}ForCausalLM")(getattr(transformers, f"{kind}Config")(**sizes, head_dim=8)).eval()
            ids = torch.randint(1, 96, (1, 7))
            how = CompileConfig(backend=backend.kgen_backend, mode=None, fullgraph=False)
            how._compile_all_devices = True  # else where there is a card
            with mock.patch.object(backend, "CompiledGraph", lambda *a, **k: made.append(real(*a, **k)) or made[-1]), mock.patch.dict(
                    os.environ, {"KGEN_KERNELS": "first"}), torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                given = {"max_new_tokens": 6, "do_sample": False, "cache_implementation": "static"}
                expected = model.generate(ids, disable_compile=True, **given)
                self.assertEqual(model.generate(ids, compile_config=how, **given).tolist(), expected.tolist())
            chain, = made[-1]._program._items
            self.assertEqual(len(chain._updates), 4)  # keys and values of two layers
        self.assertEqual(len(made), 2)  # a step each, compiled once

    def test_a_selective_scan_takes_few_ops(self):
        """Seven steps for 128 tokens, whatever precision: equal to the module's own walk from token to token, also when its weights change."""
        import transformers
        for dtype in (torch.float32, torch.bfloat16):
            with self.subTest(dtype), torch.no_grad(), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                torch.manual_seed(4)
                config = transformers.MambaConfig(vocab_size=96, hidden_size=16, state_size=4, num_hidden_layers=1)
                module = transformers.MambaModel(config).eval().to(dtype)
                scan = sys.modules["transformers.models.mamba.modeling_mamba"].mamba_selective_scan
                keywords = {"input_ids": torch.arange(123).remainder(96)[None]}
                compiled = kgen.compile(module, (), keywords)
                coverage = kgen.report(compiled)
                self.assertEqual(coverage.share, 1, coverage)
                self.assertLess(coverage.nodes, 200)
                for _ in range(2):
                    self.equal(compiled(**keywords), module(**keywords))
                    for parameter in module.parameters():
                        parameter.mul_(1.25)
                self.assertFalse(compiled.misses)
                self.assertIs(sys.modules["transformers.models.mamba.modeling_mamba"].mamba_selective_scan, scan)

    def test_every_model_imports(self):
        for name in MODELS:
            with self.subTest(name):
                module, inputs = build(name)
                kgen_opt(import_module(module, inputs, name).text)


if __name__ == "__main__":
    # What the graphs mean, against PyTorch in double precision: minutes. `x.float()` in a model rounds there too, and in the oracle it
    # does not: 1e-6 is equal. PyTorch has no products of groups in double precision.
    for every in MODELS:
        print(every, compare_module(*build(every), every, double=every != "mixtral"), flush=True)
