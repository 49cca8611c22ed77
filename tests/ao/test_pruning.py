"""Sparsifiers and their schedulers, next to PyTorch's."""

import copy

import pytest

from tests.oracle import both


def _model(torch):
    nn = torch.nn
    return nn.Sequential(nn.Linear(8, 6), nn.ReLU(), nn.Sequential(nn.Linear(6, 4)))


def _masks(model):
    return [each.parametrizations.weight[0].mask for each in (model[0], model[2][0])]


SETTINGS = [
    {},
    {"sparsity_level": 0.7, "norm": 1},
    {"zeros_per_block": 2},
    {"sparsity_level": 1.0},
    {"sparsity_level": 1.0, "zeros_per_block": 3, "sparse_block_shape": (2, 2)},
    {"sparsity_level": 0.0, "zeros_per_block": 3},
    {"zeros_per_block": 0},
    {"sparse_block_shape": (1, 1), "sparsity_level": 0.3},
    {"sparse_block_shape": (2, 2), "zeros_per_block": 1},
    {"sparse_block_shape": (3, 5), "sparsity_level": 0.9},
    {"sparse_block_shape": (1, 3), "zeros_per_block": 2},
    {"sparse_block_shape": (16, 16)},
    {"zeros_per_block": 5},
    {"zeros_per_block": -1},
    {"norm": 3},
    {"sparse_block_shape": (1, 2, 3)},
]


@pytest.mark.parametrize("given", SETTINGS, ids=str)
def test_masks_of_weight_norms(given):
    def run(torch):
        model = _model(torch)
        sparsifier = torch.ao.pruning.WeightNormSparsifier(**given)
        sparsifier.prepare(model, None)
        sparsifier.step()
        return *_masks(model), model[0].weight, repr(sparsifier), list(model.state_dict())

    both(run)


@pytest.mark.parametrize("nearliness", [-1, 1, 2, 3, 5, 99])
def test_masks_near_the_diagonal(nearliness):
    def run(torch):
        model = _model(torch)
        sparsifier = torch.ao.pruning.NearlyDiagonalSparsifier(nearliness)
        sparsifier.prepare(model, [{"tensor_fqn": "0.weight"}, {"tensor_fqn": "2.0.weight", "nearliness": 3}])
        sparsifier.step()
        return _masks(model)

    both(run)


def test_training_with_a_rising_sparsity():
    def run(torch):
        model = _model(torch)
        pruning = torch.ao.pruning
        sparsifier = pruning.WeightNormSparsifier(sparsity_level=0.9, sparse_block_shape=(1, 2))
        sparsifier.prepare(model, [{"tensor_fqn": "0.weight"}, {"tensor_fqn": "2.0.weight", "sparsity_level": 0.6}])
        scheduler = pruning.CubicSL(sparsifier, init_sl=0.1, init_t=1, delta_t=1, total_t=5, initially_zero=True)
        optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
        found = []
        for _ in range(7):
            loss = torch.nn.functional.cross_entropy(model(torch.randn(16, 8)), torch.randint(4, (16,)))
            optimizer.zero_grad()
            loss.backward()
            optimizer.step()
            sparsifier.step()
            scheduler.step()
            found.append((loss, scheduler.get_last_sl(), sum(int((each == 0).sum()) for each in _masks(model))))
        sparsifier.squash_mask(params_to_keep=("sparsity_level",), params_to_keep_per_layer={"0": ("tensor_fqn",)})
        kept = model[0].sparse_params, model[2][0].sparse_params
        return found, kept, model[0].weight, list(model.state_dict()), scheduler.state_dict()

    both(run)


@pytest.mark.parametrize("kind", ["one", "each", "wrong", "late"])
def test_lambda_scheduler(kind, capsys):
    def run(torch):
        sparsifier = torch.ao.pruning.WeightNormSparsifier(sparsity_level=0.8)
        sparsifier.prepare(_model(torch), None)
        factors = {"one": lambda t: 0.9**t, "late": lambda t: 0.5**t, "wrong": [abs]}
        function = factors.get(kind, [lambda t: 1 / (1 + t), lambda t: 0.5**t])
        scheduler = torch.ao.pruning.LambdaSL(sparsifier, function, 3 if kind == "late" else -1, verbose=True)
        for epoch in range(3):
            sparsifier.step()
            scheduler.step(epoch if kind == "each" else None)
        state = {key: value for key, value in scheduler.state_dict().items() if key != "sl_lambdas"}
        return repr(scheduler), state, sparsifier.state_dict()["groups"], capsys.readouterr().out

    both(run)


def test_state_dicts():
    def run(torch):
        sparsifiers, models = [], [_model(torch), _model(torch)]
        for level, model in zip((0.5, 0.2), models, strict=True):
            sparsifiers.append(torch.ao.pruning.WeightNormSparsifier(level))
            sparsifiers[-1].prepare(model, None)
        sparsifiers[0].step()
        state = copy.deepcopy(sparsifiers[0].state_dict())
        sparsifiers[1].load_state_dict(copy.deepcopy(state))
        equal = [torch.equal(*pair) for pair in zip(_masks(models[0]), _masks(models[1]), strict=True)]
        return state["groups"], dict(state["state"]), equal, sparsifiers[1].groups[0]["sparsity_level"]

    both(run)


CONFIGS = {
    "a level": [{"tensor_fqn": "0.weight", "sparsity_level": 0.1}],
    "another key": [{"tensor_fqn": "0.weight", "more": 3}],
    "no tensor": [{"tensor_fqn": "9.weight"}],
    "a bias": [{"tensor_fqn": "0.bias"}],
    "no name": [{"module": 1}],
    "another module": [{"tensor_fqn": "0.weight", "module": 1}],
    "no dictionary": [3],
    "nothing": [],
}


@pytest.mark.parametrize("name", CONFIGS)
def test_configurations(name):
    def run(torch):
        sparsifier = torch.ao.pruning.WeightNormSparsifier()
        sparsifier.prepare(_model(torch), CONFIGS[name])
        sparsifier.step()
        return repr(sparsifier), sparsifier.state_dict()["groups"]

    both(run)


def test_a_parametrization_and_a_mask_of_the_user():
    def run(torch):
        class Doubled(torch.nn.Module):
            def __init__(self, mask):
                super().__init__()
                self.register_buffer("mask", mask)

            def forward(self, x):
                return 2 * x * self.mask

        model = _model(torch)
        sparsifier = torch.ao.pruning.WeightNormSparsifier()
        mask = torch.ones(6, 8).tril()
        sparsifier.prepare(model, [{"tensor_fqn": "0.weight", "parametrization": Doubled, "mask": mask}])
        before = model(torch.ones(2, 8))
        sparsifier.step()
        return before, model(torch.ones(2, 8)), mask

    both(run)


@pytest.mark.filterwarnings(
    "ignore:torch.ao.quantization is deprecated", "ignore:Please use quant_min", "ignore:torch.quantize"
)
def test_a_model_is_pruned_and_quantized():
    def run(torch):
        model, tq = _model(torch), torch.ao.quantization
        model.qconfig = tq.get_default_qconfig("x86")
        sparsifier = torch.ao.pruning.WeightNormSparsifier(0.5)
        tq.prepare(model, inplace=True)
        sparsifier.prepare(model, None)
        sparsifier.step()
        model(torch.randn(4, 8))
        sparsifier.squash_mask()
        tq.convert(model, inplace=True)
        return model[0].weight().int_repr(), repr(model)

    both(run)


def test_conversion_and_names():
    def run(torch):
        class Sparse(torch.nn.Linear):
            @classmethod
            def from_dense(cls, mod):
                return cls(mod.in_features, mod.out_features)

        from_utils = torch.ao.pruning.sparsifier.utils
        model, sparsifier = _model(torch), torch.ao.pruning.WeightNormSparsifier()
        sparsifier.prepare(model, [{"tensor_fqn": "2.0.weight"}])
        made = sparsifier.convert(model, {torch.nn.Linear: Sparse})
        names = [torch.ao.pruning.module_to_fqn(model, each, "x") for each in (*model.modules(), made)]
        found = [repr(torch.ao.pruning.fqn_to_module(model, name)) for name in ("", "0", "2.0", "2.7")]
        masked = [from_utils.module_contains_param(each, from_utils.FakeSparsity) for each in model.modules()]
        sparsifier.convert(model, {torch.nn.Linear: Sparse}, inplace=True)
        return repr(made), names, found, masked, repr(model)

    both(run)


@pytest.mark.parametrize("kind", ["asked", "early", "replaced", "abstract", "no sparsifier"])
@pytest.mark.filterwarnings("default::UserWarning")
def test_misuse_of_schedulers(kind):
    def run(torch):
        sparsifier = torch.ao.pruning.WeightNormSparsifier()
        sparsifier.prepare(_model(torch), None)
        if kind in ("abstract", "no sparsifier"):
            return torch.ao.pruning.BaseScheduler(sparsifier if kind == "abstract" else 3)
        scheduler = torch.ao.pruning.LambdaSL(sparsifier, lambda t: 0.5**t)
        if kind == "replaced":
            sparsifier.step = lambda: None
        elif kind == "asked":
            sparsifier.step()
        with pytest.warns(UserWarning) as caught:
            found = scheduler.get_sl() if kind == "asked" else scheduler.step()
        return found, [str(each.message) for each in caught]

    both(run)


def test_sparse_quantized_layers_are_refused():
    import torchlike

    kinds = torchlike.ao.pruning.get_static_sparse_quantized_mapping()
    with pytest.raises(NotImplementedError, match=r"torch\.ao\.nn\.sparse\.quantized\.Linear: quantized layers of"):
        kinds[torchlike.nn.Linear].from_float(torchlike.nn.Linear(1, 1))
    with pytest.raises(NotImplementedError, match=r"torch\.ao\.nn\.sparse\.quantized\.dynamic\.Linear: quantized"):
        torchlike.ao.pruning.get_dynamic_sparse_quantized_mapping()[torchlike.nn.Linear](1, 1)
