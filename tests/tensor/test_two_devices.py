"""Zero-dim CPU tensors beside tensors of another device. CPU devices stand for accelerators."""

import os
import subprocess
import sys

import pytest

from tests.oracle import both

ACCEPTED = """
x * s, s * x, x + i, n + s, x > s, s == x, n & i, n << i
torch.where(x > s, x, s), torch.where(x > s, s, s), torch.where(s > 1, x, x), torch.where(x > s, s, 2.0)
x.clamp(s), x.clamp(s, s), x.clamp(max=s), torch.clamp(s, x, x)
torch.addcmul(x, s, s), torch.addcmul(s, x, x), torch.addcdiv(x, s, x), torch.lerp(x, x, s), torch.lerp(s, x, 0.5)
s**x, 2.0 ** (x * s), torch.atan2(s, x), torch.maximum(x, s), torch.xlogy(s, x), torch.isclose(x, s)
x.half() * s, x * s.double(), n * s, x[0, 0].half() * s, torch.rsub(x, s), x.sub(s, alpha=2)
x.mul_(s), x.add_(i, alpha=2), x.clamp_(s), x.addcmul_(x, s), x.lerp_(s, s), x.eq_(s), x.fill_(s)
torch.mul(x, s, out=x), torch._foreach_mul([x], s), torch._foreach_add([x], [s])
x.index_put((n,), s), x.__setitem__(0, s), x.__setitem__(x > 1, s), x.__setitem__(n, s)
"""
REFUSED = "x * torch.ones(3)\ntorch.ones(3) * x[0, 0]\nx.matmul(torch.ones(3))"


def run(text):
    def program(torch):
        options = {"device": "meta"}
        x, n = torch.ones(2, 3, **options), torch.ones(2, 3, dtype=torch.int64, **options)
        given = {"torch": torch, "x": x, "n": n, "s": torch.tensor(2.0), "i": torch.tensor(2)}
        found = eval(text, given)
        return [(t.shape, t.dtype, t.device.type) for t in torch.utils._pytree.tree_leaves(found) if t is not None], x

    return program


@pytest.mark.parametrize("text", [*ACCEPTED.split("\n")[1:-1], *REFUSED.split("\n")])
def test_beside_meta_tensors(text):
    both(run(text))


BESIDE_CUDA = """
import jax, torchlike as torch
from torchlike._dtypes.devices import stand_ins
with stand_ins("cuda", jax.devices()[1:2]):
    x, s = torch.ones(3, device="cuda", requires_grad=True), torch.tensor(2.0, requires_grad=True)
    (x * s).sum().backward()
    z = x.detach() * torch.tensor(3)
    z[z > 2] = torch.tensor(4.0)
    z.masked_fill_(z < 2, s.detach())
    compiled = torch.compile(lambda a: a * torch.tensor(2.0))
    print(x.grad, s.grad, z.mul_(s.detach()), compiled(z))
    try:
        s.detach().mul_(z[0])
    except RuntimeError as error:
        print(error)
"""


def test_beside_accelerator_tensors():
    environment = {**os.environ, "XLA_FLAGS": "--xla_force_host_platform_device_count=2"}
    done = subprocess.run([sys.executable, "-c", BESIDE_CUDA], env=environment, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    on = ", device='cuda:0')"
    twos, eights, more = (f"tensor([{n}., {n}., {n}.]{on}" for n in (2, 8, 16))
    assert done.stdout.splitlines() == [
        f"{twos} tensor(3.) {eights} {more}",
        "Expected all tensors to be on the same device, but found at least two devices, cpu and cuda:0!",
    ]
