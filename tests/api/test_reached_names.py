"""Names that many repositories use and no other test covers, each with a program that is compared in both libraries."""

import importlib
import types

import pytest
import torch

import torchlike
from tests.conformance.names import names
from tests.oracle import both
from torchlike.optim.adam import Adam
from torchlike.optim.optimizer import Optimizer

X = [[0.5, -0.25, 0.75], [-0.5, 0.125, 0.25]]
PROGRAMS = {
    "is_tensor": lambda L, x: (L.is_tensor(x), L.is_tensor([1]), L.is_tensor(L.nn.Parameter(x))),
    "is_floating_point": lambda L, x: (L.is_floating_point(x), L.is_floating_point(x.long())),
    "is_complex": lambda L, x: (L.is_complex(x), L.is_complex(x + 1j)),
    "is_floating_point of a number": lambda L, x: L.is_floating_point(2.0),
    "numel": lambda L, x: (L.numel(x), L.numel(x[:0]), L.numel(x[0, 0])),
    "inf and nan": lambda L, x: (L.inf, L.full((2,), L.inf), L.tensor([L.nan, -L.inf]).isnan(), L.nan != L.nan),
    "clip": lambda L, x: (L.clip(x, -0.2, 0.5), L.clip(x, max=0.1), x.clip(x.mean()), x.clone().clip_(0, 1)),
    "clip without bounds": lambda L, x: L.clip(x),
    "multiply": lambda L, x: (L.multiply(x, 2), L.multiply(x, x[0]), x.clone().multiply_(3), x.multiply(x.long())),
    "multiply into": lambda L, x: L.multiply(x, x, out=L.empty(2, 3)),
    "multiply of other sizes": lambda L, x: L.multiply(x, L.ones(4)),
    "arccos": lambda L, x: (L.arccos(x), x.clone().arccos_(), L.arccos(L.tensor([2.0, 1.0]))),
    "arctan": lambda L, x: (L.arctan(x), x.clone().arctan_(), L.arctan(L.tensor([L.inf]))),
    "gradient of arctan": lambda L, x: gradient(L, L.arctan, x),
    "gradient of arccos": lambda L, x: gradient(L, L.arccos, x),
    "absolute": lambda L, x: (
        L.Tensor.absolute(x),
        L.absolute(x),
        x.clone().absolute_(),
        L.absolute(L.tensor([3 - 4j])),
    ),
    "gradient of absolute": lambda L, x: gradient(L, lambda x: x.absolute(), x),
    "new": lambda L, x: (x.new(2, 3).shape, x.new([1.0, 2.0]), x.double().new().dtype, x.new(x.size()).shape),
    "new of whole numbers": lambda L, x: (x.long().new([1, 2]), x.long().new(2).dtype),
    "initial_seed": lambda L, x: (L.manual_seed(7).initial_seed(), L.initial_seed(), L.random.initial_seed()),
    "random.manual_seed": lambda L, x: [L.random.manual_seed(3).initial_seed(), L.rand(2)][1],
    "uint16": lambda L, x: (L.tensor([1, 65535], dtype=L.uint16), L.zeros(2, dtype=L.uint16), L.iinfo(L.uint16).max),
    "F.sigmoid": lambda L, x: (L.nn.functional.sigmoid(x), gradient(L, L.nn.functional.sigmoid, x)),
    "F.tanh": lambda L, x: (L.nn.functional.tanh(x), gradient(L, L.nn.functional.tanh, x)),
    "F.sigmoid of whole numbers": lambda L, x: L.nn.functional.sigmoid(x.long()),
    "xpu": lambda L, x: (
        L.xpu.is_available(),
        L.xpu.device_count(),
        L.xpu.is_bf16_supported(),
        L.xpu.empty_cache(),
        L.xpu.manual_seed_all(3),
        L.xpu.memory_allocated(),
    ),
    "mps": lambda L, x: (L.backends.mps.is_available(), L.backends.mps.is_built()),
    "cudnn": lambda L, x: (L.backends.cudnn.enabled, L.backends.cudnn.allow_tf32),
    "init.normal_": lambda L, x: L.nn.init.normal_(L.empty(20), 1.0, 0.5),
    "init.uniform_": lambda L, x: L.nn.init.uniform_(L.empty(2, 5), -1.0, 1.0),
    "init.dirac_": lambda L, x: L.nn.init.dirac_(L.empty(4, 2, 3), groups=2),
    "init.kaiming_normal": lambda L, x: L.nn.init.kaiming_normal(L.empty(4, 3)),
    "init.normal": lambda L, x: L.nn.init.normal(L.empty(20)),
    "_calculate_fan_in_and_fan_out": lambda L, x: L.nn.init._calculate_fan_in_and_fan_out(L.empty(4, 3, 2, 2)),
    "_calculate_fan_in_and_fan_out of a vector": lambda L, x: L.nn.init._calculate_fan_in_and_fan_out(x[0]),
    "pad_sequence": lambda L, x: (
        L.nn.utils.rnn.pad_sequence([x, x[:1]], batch_first=True, padding_value=9.0),
        L.nn.utils.rnn.pad_sequence([x[0], x[0, :1]]),
    ),
    "pad_packed_sequence": lambda L, x: L.nn.utils.rnn.pad_packed_sequence(
        L.nn.utils.rnn.pack_padded_sequence(x[..., None], L.tensor([3, 2]), batch_first=True), batch_first=True
    ),
    "Parameter": lambda L, x: isinstance(L.nn.Linear(1, 1).weight, L.nn.parameter.Parameter),
    "clip_grad_value_": lambda L, x: clipped(L, x),
    "parameters_to_vector": lambda L, x: vectors(L),
    "spectral_norm": lambda L, x: L.nn.utils.spectral_norm(L.nn.Linear(3, 2))(x),
    "DataParallel": lambda L, x: L.nn.parallel.DataParallel(L.nn.Linear(3, 2))(x),
    "Module.__init__": lambda L, x: made(L)(x),
    "tree_map": lambda L, x: L.utils._pytree.tree_map(lambda a: a * 2, {"a": [x, (1, None)], "b": x}),
    "tree_flatten": lambda L, x: again(L, {"a": [1, (2,)], "b": 3}),
    "Subset": lambda L, x: [L.utils.data.Subset([5, 6, 7], [2, 0])[i] for i in range(2)],
    "samplers": lambda L, x: (
        list(L.utils.data.SequentialSampler(range(3))),
        list(L.utils.data.sampler.BatchSampler(range(5), 2, False)),
        issubclass(L.utils.data.SequentialSampler, L.utils.data.Sampler),
        L.utils.data.sampler.Sampler is L.utils.data.Sampler,
    ),
    "DistributedSampler": lambda L, x: [list(L.utils.data.DistributedSampler(range(7), 3, i)) for i in range(3)],
    "the same DistributedSampler": lambda L, x: (
        L.utils.data.distributed.DistributedSampler is L.utils.data.DistributedSampler
    ),
    "dataloader": lambda L, x: [batch for batch in L.utils.data.dataloader.DataLoader(x, 2)],
    "default_collate": lambda L, x: L.utils.data.dataloader.default_collate([{"a": 1, "b": x[0]}, {"a": 2, "b": x[1]}]),
    "Dataset": lambda L, x: L.utils.data.dataset.Dataset is L.utils.data.Dataset,
    "CosineAnnealingLR": lambda L, x: rates(L, lambda o: L.optim.lr_scheduler.CosineAnnealingLR(o, 4, eta_min=0.01)),
    "MultiStepLR": lambda L, x: rates(L, lambda o: L.optim.lr_scheduler.MultiStepLR(o, [2, 4], gamma=0.5)),
    "collect_all": lambda L, x: whole(L, "futures") and L.futures.collect_all([]).wait(),
    "DistributedDataParallel": lambda L, x: issubclass(L.nn.parallel.distributed.DistributedDataParallel, L.nn.Module),
    "add_safe_globals": lambda L, x: L.serialization.add_safe_globals([importlib.import_module]),
    "OptimizedModule": lambda L, x: isinstance(L.nn.Linear(1, 1), L._dynamo.eval_frame.OptimizedModule),
    "Process": lambda L, x: issubclass(L.multiprocessing.Process, L.multiprocessing.Process),
    "log_prob": lambda L, x: [d.log_prob(at) for d, at in distributions(L, x)],
    "sample": lambda L, x: [d.sample((2,)) for d, _ in distributions(L, x)],
    "constraints": lambda L, x: (
        L.distributions.constraints.positive.check(x),
        L.distributions.constraints.real.check(L.log(x)),
    ),
    "kl": lambda L, x: L.distributions.kl.kl_divergence(
        L.distributions.normal.Normal(x, 1.0), L.distributions.normal.Normal(0.0, 2.0)
    ),
}
CUDA = {
    "manual_seed": lambda L: L.cuda.manual_seed(3),
    "device": lambda L: within(L.cuda.device(-1)),
    "stream": lambda L: within(L.cuda.stream(None)),
    "reset_max_memory_allocated": lambda L: callable(L.cuda.reset_max_memory_allocated),
    "reset_peak_memory_stats": lambda L: callable(L.cuda.reset_peak_memory_stats),
    "get_rng_state": lambda L: callable(L.cuda.get_rng_state),
    "set_rng_state": lambda L: callable(L.cuda.set_rng_state),
    "FloatTensor": lambda L: isinstance(L.ones(1), L.cuda.FloatTensor),
    "Event": lambda L: isinstance(L.cuda.Event, type),
}


def gradient(L, function, x):
    x = x.clone().requires_grad_()
    function(x).sum().backward()
    return x.grad


def whole(L, path):
    return importlib.import_module(f"{L.__name__}.{path}")


def within(block):
    with block:
        return 3


def clipped(L, x):
    p = L.nn.Parameter(x.clone())
    (p * 4).sum().backward()
    L.nn.utils.clip_grad_value_([p], 1.5)
    return p.grad


def vectors(L):
    layer = L.nn.Linear(3, 2)
    vector = L.nn.utils.parameters_to_vector(layer.parameters())
    L.nn.utils.vector_to_parameters(vector * 2, layer.parameters())
    return vector, layer.weight, layer.bias


def made(L):
    class Twice(L.nn.Module):
        def __init__(self):
            L.nn.Module.__init__(self)
            self.inner = L.nn.Linear(3, 3)

        def forward(self, x):
            return self.inner(self.inner(x))

    return Twice()


def again(L, tree):
    flat, spec = L.utils._pytree.tree_flatten(tree)
    return flat, L.utils._pytree.tree_unflatten([x + 1 for x in flat], spec)


def rates(L, schedule):
    optimizer = L.optim.SGD([L.nn.Parameter(L.ones(1))], lr=0.5)
    scheduler, found = schedule(optimizer), []
    for _ in range(6):
        optimizer.step()
        scheduler.step()
        found.append(optimizer.param_groups[0]["lr"])
    return found


def distributions(L, x):
    D, p, at = L.distributions, x.abs(), x.abs().round()
    eye = L.eye(3)
    return [
        (D.Bernoulli(p), at),
        (D.categorical.Categorical(p), L.tensor([0, 2])),
        (D.OneHotCategorical(p), L.nn.functional.one_hot(L.tensor([0, 2]), 3).float()),
        (D.Poisson(p + 1), at),
        (D.Uniform(x - 1, x + 1), x),
        (D.Independent(D.Normal(x, p + 0.1), 1), x),
        (D.LogNormal(x, p + 0.1), p + 0.1),
        (D.MultivariateNormal(x, eye), x),
        (D.LowRankMultivariateNormal(x, eye[:, :1], L.ones(3)), x),
        (D.NegativeBinomial(p + 1, p), at),
        (D.StudentT(p + 3), x),
        (D.TransformedDistribution(D.Normal(x, 1.0), [D.transforms.ExpTransform()]), p + 0.1),
    ]


@pytest.mark.filterwarnings("ignore::UserWarning", "ignore::FutureWarning")
@pytest.mark.parametrize("name", PROGRAMS)
def test_programs_equal_pytorchs(name):
    both(lambda library: PROGRAMS[name](library, library.tensor(X)))


@pytest.mark.parametrize("name", CUDA)
def test_programs_of_a_machine_without_gpu(name):
    both(CUDA[name])


def test_modules_of_optimizers():
    assert Adam is torchlike.optim.Adam and issubclass(Adam, Optimizer)


OF_OTHERS = {
    "xpu.get_device_properties": lambda L: L.xpu.get_device_properties(0),
    "xpu.current_device": lambda L: L.xpu.current_device(),
    "xpu.get_device_name": lambda L: L.xpu.get_device_name(0),
    "xpu.synchronize": lambda L: L.xpu.synchronize(),
    "mps.empty_cache": lambda L: L.mps.empty_cache(),
    "set_start_method": lambda L: L.multiprocessing.set_start_method("no such method"),
}


@pytest.mark.parametrize("name", OF_OTHERS)
def test_devices_that_are_not_there_refuse(name):
    for library in (torch, torchlike):
        whole(library, "multiprocessing")
        with pytest.raises((RuntimeError, AssertionError, ValueError, AttributeError)):
            OF_OTHERS[name](library)


DISTRIBUTED = [name.text for name in names() if name.place == "torch.distributed"]


def imported(library, name: str):
    """Return the object with a dotted name, importing its modules if necessary."""
    found = library
    for word in name.split(".")[1:]:
        if not hasattr(found, word):
            importlib.import_module(f"{found.__name__}.{word}")
        found = getattr(found, word)
    return found


@pytest.mark.parametrize("name", DISTRIBUTED)
def test_names_of_torch_distributed(name):
    found = imported(torchlike, name)
    if type(found).__name__ == "Absent":
        with pytest.raises(NotImplementedError, match=rf"^{name} is not supported by torchlike; .*fully_shard"):
            found()
        return
    theirs = imported(torch, name)
    assert isinstance(found, type) == isinstance(theirs, type)
    assert callable(found) or not isinstance(theirs, types.FunctionType)
