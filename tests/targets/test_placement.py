"""Work runs on the device of its tensors and not on JAX's default device. CPU devices stand in for accelerators."""

import os
import subprocess
import sys

import jax
import pytest

from tests.processes.launched import free_port, said
from torchlike._dtypes import devices

FOUR = {"XLA_FLAGS": "--xla_force_host_platform_device_count=4"}


def _said(program: str) -> list[str]:
    command = [sys.executable, "-W", "error::UserWarning:tests", "-c", program]
    done = subprocess.run(command, env={**os.environ, **FOUR}, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr[-3000:]
    return done.stdout.splitlines()


PLACES = """
import jax, numpy as np
from torchlike._engine.xla.executor import executable
from torchlike._dtypes.devices import cpu, device, stand_ins
function = lambda given, held, packs: [jax.numpy.ones(3) * (len(given) + len(held)), *given, *held]
some = [np.ones(4, "float32")]
for kind, indices in (("cpu", [2]), ("cuda", [3, 1])):
    with stand_ins(kind, [jax.devices()[i] for i in indices]):
        on = cpu if kind == "cpu" else device(kind, 1)
        for given in (([], [], []), ([], some, []), (some, [], [np.ones(2)])):
            results = executable(on, function, *given)(*given)
            print(kind, [x.device.id for x in results], {x.committed for x in results})
"""


def test_an_executable_is_of_the_device_that_is_named_for_it():
    places = {"cpu": 2, "cuda": 1}
    due = [f"{kind} {[place] * count} {{True}}" for kind, place in places.items() for count in (1, 2, 2)]
    assert _said(PLACES) == due


# The default device is an absent platform, so work that runs on the default device raises.
NO_DEFAULT = """
import jax, numpy as np
import torchlike as torch
from tests.targets import programs
jax.config.update("jax_default_device", "gpu" if torch._dtypes.devices.jax_devices("tpu") else "tpu")
try:
    jax.numpy.ones(2)
except RuntimeError:
    print("no default device")
programs.run("cpu")
bytes = torch.jax.to_jax(torch.ones(2).add(1)), jax.dlpack.from_dlpack(torch.ones(3, dtype=torch.bfloat16))
print({device.id for array in jax.live_arrays() for device in array.devices()})
"""


def test_nothing_lands_on_the_default_device():
    lines = _said(NO_DEFAULT)
    assert (lines[0], lines[-1]) == ("no default device", "{0}")


STANDING = """
import jax
import torchlike as torch
from torchlike._engine import set_executor
from torchlike._dtypes.devices import stand_ins
from tests.targets import programs
ids = lambda: {device.id for array in jax.live_arrays() for device in array.devices()}
works = programs.factors, programs.writes
with set_executor("xla"):
    due = [work("cpu") for work in works]
with stand_ins("cuda", jax.devices()[1:3]):
    print(torch.cuda.is_available(), torch.cuda.device_count())
    print([work("cuda:1") == numbers for work, numbers in zip(works, due)])
    x = torch.ones(3, device="cuda:1", requires_grad=True)
    (x.sin() * 2).sum().backward()
    print(x.grad.device, x.grad._value.array.device.id, torch.jax.from_jax(x.grad._value.array).device)
    losses = torch.tensor([programs.trains_compiled("cuda"), programs.trains("cuda")])
    print(torch.randn(2, device="cuda").device, torch.allclose(losses[0], losses[1], rtol=1.3e-6))
print(torch.cuda.is_available())
"""


def test_devices_of_the_cpu_stand_for_accelerators():
    assert _said(STANDING) == [
        "True 2",
        "[True, True]",
        "cuda:1 2 cuda:1",
        "cuda:0 True",
        "False",
    ]


OF_TWO = """
import sys, jax
rank, port = map(int, sys.argv[1:])
jax.distributed.initialize(f"localhost:{port}", 2, rank)
import torchlike as torch
from torchlike._engine import set_executor
with set_executor("xla"):
    layer = torch.nn.Linear(3, 3)
    layer(torch.ones(2, 3)).sum().backward()
    print(layer.weight.grad.sum().item(), torch.randn(200_000).shape)
devices, mine = jax.devices(), layer.weight.grad._value.array.device
assert (len(devices), mine) == (2, devices[rank]), (devices, mine)
"""


def test_each_of_two_processes_computes_on_its_own_device():
    port = str(free_port())
    env = {**os.environ, "JAX_PLATFORMS": "cpu"}
    both = [
        subprocess.Popen(
            [sys.executable, "-c", OF_TWO, str(rank), port],
            env=env,
            text=True,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
        )
        for rank in (0, 1)
    ]
    assert said(both) == ["18.0 torch.Size([200000])\n"] * 2


def test_devices_are_those_of_this_process(monkeypatch):
    monkeypatch.setattr(jax, "devices", lambda *_: ["of another process"])
    assert devices.jax_devices("cpu") == jax.local_devices()


@pytest.mark.parametrize("kind", ["cuda", "tpu"])
def test_no_devices_of_an_absent_kind(kind):
    assert devices.jax_devices(kind) == []
