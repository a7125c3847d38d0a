"""Which distribution a tensor was drawn from, observed while a file makes it on the meta device.

The verification protocol draws its own random inputs; `kgen.init` tells it how: torch.rand gives
uniform(0, 1), torch.randn(...) * 0.1 gives normal(0, 0.1), and so on. Tensors that a module fills
with ones or zeros get a distribution around them, because constants would hide wrong indexing.
"""
import torch
from torch.overrides import TorchFunctionMode

DEFAULT = ("normal", 0.0, 1.0)
AROUND_ONE = ("uniform", 0.5, 1.5)
AROUND_ZERO = ("normal", 0.0, 0.1)


def text(init):
    """`normal(0, 1)`, as docs/contracts.md writes it."""
    kind, a, b = init
    return f"{kind}({a:.6g}, {b:.6g})"


class Observer(TorchFunctionMode):
    """Runs torch calls on the meta device and remembers what each storage was filled with."""

    def __init__(self):
        super().__init__()
        self._device = torch.device("meta")
        self._seen = {}  # storage -> (init, a tensor that keeps the storage alive)

    def of(self, tensor):
        return self._seen.get(self._key(tensor), (DEFAULT, None))[0]

    def __torch_function__(self, function, types, args=(), kwargs=None):
        kwargs = dict(kwargs or {})
        name = getattr(function, "__name__", "")
        with self._device:
            try:
                result = function(*args, **kwargs)
            except NotImplementedError:
                return NotImplemented
        init = self._init_of(name, args, kwargs)
        if init is not None and isinstance(result, torch.Tensor):
            self._seen[self._key(result)] = (init, result)
        return result

    @staticmethod
    def _key(tensor):
        return tensor.untyped_storage()._cdata

    def _init_of(self, name, args, kwargs):
        """The distribution of a call's result, None when it says nothing new."""
        def argument(position, key, default):
            return args[position] if len(args) > position else kwargs.get(key, default)

        if name in ("rand", "rand_like"):
            return ("uniform", 0.0, 1.0)
        if name in ("randn", "randn_like"):
            return ("normal", 0.0, 1.0)
        if name == "normal_":
            return ("normal", float(argument(1, "mean", 0.0)), float(argument(2, "std", 1.0)))
        if name == "uniform_":
            return ("uniform", float(argument(1, "a", kwargs.get("from", 0.0))), float(argument(2, "b", kwargs.get("to", 1.0))))
        if name in ("ones", "ones_like", "ones_"):
            return AROUND_ONE
        if name in ("zeros", "zeros_like", "zeros_", "zero_"):
            return AROUND_ZERO
        if name in ("randint", "randint_like"):
            bounds = [a for a in args if isinstance(a, int)]
            low, high = (0, bounds[0]) if len(bounds) == 1 else bounds[:2]
            return ("integer", float(low), float(high - 1))
        if name == "fill_":
            return AROUND_ONE if float(argument(1, "value", 0.0)) == 1 else AROUND_ZERO
        return self._scaled(name, args)

    def _scaled(self, name, args):
        """Tensor-with-number arithmetic moves or scales a distribution; anything else keeps its range if it can."""
        if len(args) != 2 or not isinstance(args[0], torch.Tensor):
            if len(args) == 2 and isinstance(args[1], torch.Tensor) and isinstance(args[0], (int, float)) and name in ("mul", "__rmul__", "add"):
                args = (args[1], args[0])
            else:
                return None
        if not isinstance(args[1], (int, float)) or self._key(args[0]) not in self._seen:
            return None
        (kind, a, b), by = self.of(args[0]), float(args[1])
        if name in ("mul", "__mul__", "__rmul__", "mul_", "div", "__truediv__", "div_"):
            by = 1 / by if "div" in name else by
            if kind == "normal":
                return (kind, a * by, abs(b * by))
            return (kind, *sorted((a * by, b * by)))
        if name in ("add", "__add__", "__radd__", "add_", "sub", "__sub__", "sub_"):
            by = -by if "sub" in name else by
            return (kind, a + by, b if kind == "normal" else b + by)
        return None
