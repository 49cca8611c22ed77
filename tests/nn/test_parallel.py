"""Wrappers for several devices and processes, in a single process."""

import pytest

import torchlike
from tests.nn.twins import agree, execute


def test_data_parallel_is_the_module_on_one_device():
    script = """
net = nn.DataParallel(nn.Linear(2, 3)); log(repr(net)); log(net.state_dict()); log(net(T.ones(4, 2)))
log(net.module is next(net.children()))
"""
    agree(lambda T: execute(script, T))


def test_data_parallel_ignores_devices_without_an_accelerator():
    script = """
net = nn.DataParallel(nn.Linear(2, 3), device_ids=[0, 1], output_device=1); log(net.device_ids); log(net(T.ones(4, 2)))
log(sorted(vars(net)))
"""
    agree(lambda T: execute(script, T))


def test_data_parallel_refuses_several_devices(monkeypatch):
    monkeypatch.setattr(torchlike.accelerator, "is_available", lambda: True)
    with pytest.raises(NotImplementedError, match="device_ids"):
        torchlike.nn.DataParallel(torchlike.nn.ReLU(), device_ids=[0, 1])


def test_distributed_needs_a_group():
    agree(lambda T: T.nn.parallel.DistributedDataParallel(T.nn.Linear(2, 3)))
