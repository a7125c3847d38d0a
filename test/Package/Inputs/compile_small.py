import torch

import kgen

print(kgen.__file__)
module = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.GELU()).eval()
x = torch.randn(4, 8)
compiled = kgen.compile(module, (x,))
print(kgen.report(compiled))
with torch.no_grad():
    torch.testing.assert_close(compiled(x), module(x), rtol=1e-4, atol=1e-5)
    print("equal")
    torch.testing.assert_close(torch.compile(module, backend="kgen")(x), module(x), rtol=1e-4, atol=1e-5)
    print("backend kgen: equal")
