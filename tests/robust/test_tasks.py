"""Modes belong to threads, as in PyTorch.

Tasks and contexts of one thread share its modes. Copying a context to another thread does not copy the modes.
"""

import asyncio
import contextvars
import subprocess
import sys
import threading

import pytest
import torch

import torchlike

MODES = ("no_grad", "inference_mode", "autocast")


def _enter(t, mode):
    return t.autocast("cpu") if mode == "autocast" else getattr(t, mode)()


def _seen(t):
    return (
        t.is_grad_enabled(),
        t.is_inference_mode_enabled(),
        t.is_autocast_enabled("cpu"),
        t.ones(2).is_inference(),
        str((t.ones(2, 2) @ t.ones(2, 2)).dtype)[-8:],
        t.get_default_device().type,
    )


def tasks(t, mode):
    """Return the modes of a task that awaits within a mode, of a task that runs meanwhile, and of a new thread."""
    seen = []

    async def within():
        with _enter(t, mode):
            await asyncio.sleep(0)
            seen.append(_seen(t))
            seen.append(await asyncio.to_thread(_seen, t))
        seen.append(_seen(t))

    async def beside():
        await asyncio.sleep(0)
        seen.append(_seen(t))

    async def both():
        await asyncio.gather(within(), beside())

    asyncio.run(both())
    return [*seen, _seen(t)]


def contexts(t, mode):
    """Return the modes after entering a mode in a copied context, and after exiting it outside that context."""
    entered = _enter(t, mode)
    contextvars.copy_context().run(entered.__enter__)
    copied = contextvars.copy_context()
    seen = [_seen(t)]
    entered.__exit__(None, None, None)
    seen += [_seen(t), copied.run(_seen, t)]
    contextvars.copy_context().run(t.set_grad_enabled, False)
    seen.append(_seen(t))
    t.set_grad_enabled(True)
    return seen


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("program", [tasks, contexts])
def test_modes_belong_to_threads(program, mode):
    assert program(torchlike, mode) == program(torch, mode)


def devices(t):
    """Return the default devices of this thread and of new threads, while and after this thread sets its device."""
    seen = []

    def in_thread():
        thread = threading.Thread(target=lambda: seen.append(_seen(t)))
        thread.start()
        thread.join()

    with t.device("meta"):
        in_thread()
        seen.append(t.get_default_device().type)
    t.set_default_device("meta")
    in_thread()
    seen.append(t.get_default_device().type)
    t.set_default_device(None)
    return [*seen, t.get_default_device().type]


def test_the_default_device_belongs_to_the_thread():
    assert devices(torchlike) == devices(torch)


def test_modes_belong_to_threads_without_the_extension():
    script = """if True:
        import sys
        sys.modules["torchlike._native.switch"] = None
        import torchlike
        from tests.robust.test_tasks import MODES, contexts, tasks
        from torchlike._dtypes.recorder import PlainSwitch, Switch
        assert Switch is PlainSwitch
        print([program(torchlike, mode) for program in (tasks, contexts) for mode in MODES])
    """
    found = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True).stdout
    assert found == f"{[program(torch, mode) for program in (tasks, contexts) for mode in MODES]}\n"
