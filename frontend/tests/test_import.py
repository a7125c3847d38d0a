# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""What importing keeps, drops and refuses."""
import contextlib
import io
import os
import pathlib
import tempfile
import unittest

import torch

from kgen.__main__ import main
from kgen.errors import ImportRefused
from kgen.importer import import_file
from tests.support import import_source, kgen_opt, model_source, write_source


def imported(forward, inputs="[torch.rand(4, 8)]", init="", parameters="x"):
    text = import_source(model_source(forward, inputs, init, parameters))
    kgen_opt(text)
    return text


class Graphs(unittest.TestCase):
    def test_gigabytes_cost_nothing(self):
        text = imported("return self.weight @ x", "[torch.rand(1 << 20, 1 << 20)]",
                        "self.weight = nn.Parameter(torch.randn(1 << 20, 1 << 20))")
        self.assertIn("tensor<1048576x1048576xf32>", text)

    def test_inputs_come_first_then_used_weights_under_their_names(self):
        text = imported("return self.layer(x)", init="self.layer = nn.Linear(8, 2)\nself.unused = nn.Linear(3, 3)")
        self.assertLess(text.index('kgen.name = "x"'), text.index('kgen.name = "layer.weight"'))
        self.assertLess(text.index('kgen.name = "layer.weight"'), text.index('kgen.name = "layer.bias"'))
        self.assertNotIn("unused", text)

    def test_products_of_groups_stay_one_op(self):
        text = imported("return torch._grouped_mm(x, self.experts.transpose(1, 2), offs=ends)",
                        "[torch.rand(64, 8).bfloat16(), torch.tensor([3, 9, 40, 64], dtype=torch.int32)]",
                        "self.experts = nn.Parameter(torch.randn(4, 16, 8).bfloat16())", "x, ends")
        self.assertIn("aten._grouped_mm", text)

    def test_batch_norm_counter_is_no_argument(self):
        text = imported("return self.norm(x)", init="self.norm = nn.BatchNorm1d(8)")
        self.assertIn("aten.batch_norm", text)
        self.assertNotIn("i64", text)

    def test_no_effects_at_inference_vanish(self):
        text = imported("return self.drop(x).clone().detach().contiguous() + 1", init="self.drop = nn.Dropout(0.5)")
        self.assertEqual(text.count("= aten."), 1)

    def test_dead_values_vanish(self):
        text = imported("torch.exp(x)\nreturn torch.max(x, dim=1)[0]")
        self.assertNotIn("aten.exp", text)
        self.assertIn("aten.max.dim", text)

    def test_in_place_is_functional(self):
        text = imported("y = x + 1\ny.mul_(2)\ny.relu_()\nreturn y")
        self.assertIn("aten.relu %mul_", text)

    def test_in_place_on_shared_memory_is_seen_by_both(self):
        text = imported("y = x + 1\nz = y.view(32)\ny.relu_()\nreturn z")
        self.assertRegex(text, r"aten.relu %add(.|\n)*aten.view %relu(.|\n)*return %view")

    def test_buffer_that_forward_writes_is_a_result(self):
        text = imported("self.seen.add_(1)\nreturn x + self.seen", init="self.register_buffer('seen', torch.zeros(8))")
        self.assertIn('tensor<8xf32> {kgen.mutates = "seen"}', text)

    def test_mixed_types_are_cast(self):
        text = imported("return x + y", "[torch.rand(4), torch.rand(4, dtype=torch.float64)]", parameters="x, y")
        self.assertIn("aten._to_copy %x dtype f64 : (tensor<4xf32>) -> tensor<4xf64>", text)

    def test_constructor_that_reads_a_number(self):
        self.assertIn("aten.relu", imported("return torch.relu(self.layer(x))", init="n = torch.linspace(0, 8, 3)[-1].item()\n"
                                            "self.layer = nn.Linear(8, int(n))"))

    def test_archive(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "small.pt2")
            torch.export.save(torch.export.export(torch.nn.Linear(8, 2), (torch.rand(4, 8),)), path)
            text = import_file(path)
            self.assertIn("func.func @small(", text)
            self.assertIn("aten.linear %input, %weight, %bias", text)
            with open(path, "r+b") as file:
                file.truncate(os.path.getsize(path) // 2)
            with self.assertRaisesRegex(ImportRefused, "small.pt2: reading the archive failed"):
                import_file(path)

    def test_plain_attribute_is_an_argument(self):
        text = imported("return x + self.w", init="self.w = torch.rand(8) + 1")
        self.assertIn('kgen.init = "uniform(1, 2)"', text)

    def test_one_parameter_twice(self):
        self.assertEqual(imported("return x @ self.w @ self.w", init="self.w = nn.Parameter(torch.randn(8, 8))").count(
            "kgen.parameter"), 1)

    def test_number_inputs_become_constants(self):
        text = imported("return x * s", "[torch.rand(4, 8), 3.5]", parameters="x, s")
        self.assertIn("{other = 3.5}", text)

    def test_several_results(self):
        self.assertIn("return %exp, %log : tensor<4x8xf32>, tensor<4x8xf32>", imported("return torch.exp(x), torch.log(x)"))


class Distributions(unittest.TestCase):
    def assert_init(self, expected, expression, where="weight"):
        if where == "weight":
            text = imported("return x + self.w", init=f"self.w = nn.Parameter({expression})")
            found = text.split('kgen.name = "w"')[0].rsplit("kgen.init = ", 1)[1].split('"')[1]
        else:
            text = imported("return torch.exp(x.float())" if "randint" not in expression else "return x + 1", f"[{expression}]")
            found = text.split("kgen.init = ", 1)[1].split('"')[1]
        self.assertEqual(found, expected)

    def test_inputs(self):
        self.assert_init("uniform(0, 1)", "torch.rand(4, 8)", "input")
        self.assert_init("normal(0, 1)", "torch.randn(4, 8)", "input")
        self.assert_init("uniform(-1, 1)", "torch.rand(4, 8) * 2 - 1", "input")
        self.assert_init("integer(0, 1234567)", "torch.randint(0, 1234568, (4, 8))", "input")
        self.assert_init("integer(0, 9)", "torch.randint(0, 10, (4, 8))", "input")
        self.assert_init("uniform(0, 1)", "torch.rand(8, 4).T", "input")

    def test_weights(self):
        self.assert_init("normal(1, 0.1)", "torch.randn(8) * 0.1 + 1.0")
        self.assert_init("normal(-3, 2)", "1 - (torch.randn(4, 8) * 2 + 4)")
        self.assert_init("uniform(2, 3)", "torch.empty(8).uniform_(2, 3)")
        self.assert_init("normal(0, 0.353553)", "torch.sin(torch.randn(4, 8))")

    def test_constants_become_random_except_scalars(self):
        self.assert_init("uniform(0.5, 1.5)", "torch.ones(8)")
        self.assert_init("normal(0, 0.1)", "torch.zeros(8)")
        self.assert_init("uniform(2, 2)", "torch.full((8,), 2.0)")
        self.assert_init("uniform(1, 1)", "torch.tensor(1.0)")

    def test_masks_are_zero_or_one(self):
        text = imported("return torch.ops.aten.scaled_dot_product_attention(x, x, x, self.mask)",
                        init="self.register_buffer('mask', torch.ones(4, 4).tril() > 0)")
        self.assertIn('tensor<4x4xi1>\n        {kgen.init = "integer(0, 1)"', text)

    def test_constants_made_in_forward(self):
        text = imported("return x * torch.tensor(0.25)")
        self.assertTrue("{other = 0.25}" in text or 'kgen.init = "uniform(0.25, 0.25)"' in text, text)
        self.assertIn("aten.constant dense<[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.5]> : tensor<8xf32>", imported(
            "return x * torch.tensor([1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0, 8.5])"))
        self.assertIn('aten.constant dense<"0x0000', imported("return x[:, torch.tensor([0, 7, 3] * 30)]"))

    def test_infinite_numbers(self):
        text = imported("return x.clamp(min=float('-inf'), max=1.0), torch.full((2,), float('inf'))")
        self.assertIn("{min = 0xFFF0000000000000 : f64, max = 1.0}", text)

    def test_modules(self):
        text = imported("return self.layer(x)", init="self.layer = nn.Linear(8, 2)")
        self.assertIn('kgen.init = "uniform(-0.353553, 0.353553)", kgen.name = "layer.weight"', text)


class Refusals(unittest.TestCase):
    """One sentence, the place, exit code 1, nothing written."""

    def refused(self, source, name="sample.py"):
        with tempfile.TemporaryDirectory() as folder:
            path = write_source(folder, source, name)
            out = os.path.join(folder, "graph.mlir")
            errors = io.StringIO()
            with contextlib.redirect_stderr(errors):
                code = main(["import", path, "-o", out])
            self.assertEqual(code, 1)
            self.assertEqual(os.listdir(folder).count("graph.mlir"), 0)
            self.assertEqual([name for name in os.listdir(folder) if name.startswith(".kgen")], [])
            message = errors.getvalue().replace(folder + os.sep, "")
        self.assertEqual(message.count("\n"), 1, message)
        self.assertNotIn("Traceback", message)
        return message

    def test_op_that_is_not_there(self):
        source = model_source("y = torch.exp(x)\nreturn torch.bernoulli(y)", "[torch.rand(4, 8)]")
        line = source.splitlines().index("        return torch.bernoulli(y)") + 1
        self.assertEqual(self.refused(source),
                         f"kgen: sample.py:{line}: aten.bernoulli is not in the dialect: a result that is drawn at random cannot be checked\n")

    def test_unknown_op(self):
        self.assertIn("sample.py:10: aten.special_bessel_j0 is not in the dialect\n", self.refused(model_source("return torch.special.bessel_j0(x)", "[torch.rand(4)]")))

    def test_data_dependent_control_flow(self):
        self.assertIn("torch.export failed", self.refused(
            model_source("return x if x.sum() > 0 else -x", "[torch.rand(4)]")))

    def test_what_no_kernel_computes(self):
        for call, message in (("torch.randn(4) + x", "a result that is drawn at random cannot be checked"),
                              ("x[x > 0]", "depends on data"), ("torch.fft.fft(x).abs()", "complex numbers"),
                              ("F.dropout(x, training=True)", "dropout in training mode")):
            with self.subTest(call):
                self.assertRegex(self.refused(model_source(f"return {call}", "[torch.rand(4)]")), f"sample.py:1?[0-9]: .*{message}")

    def test_element_type(self):
        self.assertIn("element type torch.complex64 is not in the dialect", self.refused(
            model_source("return x * y", "[torch.rand(4, dtype=torch.complex64), torch.rand(4, dtype=torch.complex64)]",
                         parameters="x, y")))

    def test_not_the_benchmarks_form(self):
        self.assertIn("found no Model", self.refused("x = 1\n"))

    def test_syntax_error(self):
        self.assertIn("sample.py:2: reading it failed: SyntaxError", self.refused("x = 1\ndef (:\n"))

    def test_failing_constructor(self):
        self.assertIn("building Model failed: ValueError: no", self.refused(
            model_source("return x", "[torch.rand(4)]", "raise ValueError('no')")))

    def test_graph_that_kgen_opt_refuses(self):
        with tempfile.TemporaryDirectory() as folder:
            tool = write_source(folder, "#!/bin/sh\necho '<stdin>:3:4: error: expected more' >&2\nexit 1\n", "kgen-opt")
            os.chmod(tool, 0o755)
            sample = str(pathlib.Path(__file__).parent / "samples/mlp_block.py")
            out, errors = os.path.join(folder, "graph.mlir"), io.StringIO()
            with contextlib.redirect_stderr(errors):
                self.assertEqual(main(["import", sample, "-o", out, "--kgen-opt", tool]), 1)
            self.assertEqual(errors.getvalue(), f"kgen: {sample}: the imported graph is not valid: expected more\n")
            self.assertFalse(os.path.exists(out))

    def test_name(self):
        output = io.StringIO()
        sample = str(pathlib.Path(__file__).parent / "samples/mlp_block.py")
        with contextlib.redirect_stdout(output):
            self.assertEqual(main(["import", sample, "--name", "2-layers"]), 0)
        self.assertIn("func.func @p2_layers(", output.getvalue())
        self.assertIn('kgen.problem = "p2_layers"', output.getvalue())

    def test_not_python(self):
        self.assertIn("expected a Python file", self.refused("", "graph.txt"))

    def test_no_such_file(self):
        errors = io.StringIO()
        with contextlib.redirect_stderr(errors):
            self.assertEqual(main(["import", "/nowhere/there.py"]), 1)
        self.assertEqual(errors.getvalue(), "kgen: /nowhere/there.py: no such file\n")

    def test_unwritable_output(self):
        errors = io.StringIO()
        sample = next(pathlib.Path(__file__).parent.joinpath("samples").glob("*.py"))
        with contextlib.redirect_stderr(errors):
            self.assertEqual(main(["import", str(sample), "-o", "/nowhere/graph.mlir"]), 1)
        self.assertEqual(errors.getvalue(), "kgen: /nowhere/graph.mlir: cannot write: No such file or directory\n")


if __name__ == "__main__":
    unittest.main()
