"""Layers, modules and their state."""


def _linear(torch, *sizes):
    return torch.nn.Sequential(torch.nn.Linear(*sizes))


def _load(torch, state, **kwargs):
    return _linear(torch, 2, 3).load_state_dict(state, **kwargs)


def _state(torch, *sizes):
    return _linear(torch, *sizes).state_dict()


def _module(torch, **members):
    return type("Mine", (torch.nn.Module,), members)


def _loss(torch, name, *shapes):
    return getattr(torch.nn.functional, name)(*(torch.full(shape, 0.5) for shape in shapes))


def _cross_entropy(torch, target, **kwargs):
    return torch.nn.functional.cross_entropy(torch.ones(2, 3), target, **kwargs)


def layer_before_init(torch):
    def begin(self):
        self.layer = torch.nn.Linear(2, 2)

    _module(torch, __init__=begin)()


def parameter_before_init(torch):
    def begin(self):
        self.scale = torch.nn.Parameter(torch.ones(1))

    _module(torch, __init__=begin)()


ROWS = {
    # layers
    "linear": lambda torch: torch.nn.Linear(3, 4)(torch.ones(2, 5)),
    "linear of a list": lambda torch: torch.nn.Linear(3, 4)([1.0, 2.0, 3.0]),
    "linear of negative sizes": lambda torch: torch.nn.Linear(-1, 2),
    "linear without sizes": lambda torch: torch.nn.Linear(),
    "bilinear": lambda torch: torch.nn.Bilinear(2, 3, 4)(torch.ones(1, 2), torch.ones(1, 2)),
    "conv2d channels": lambda torch: torch.nn.Conv2d(3, 8, 3)(torch.ones(1, 4, 8, 8)),
    "conv2d too small": lambda torch: torch.nn.Conv2d(3, 8, 5)(torch.ones(1, 3, 2, 2)),
    "conv2d rank": lambda torch: torch.nn.Conv2d(3, 8, 3)(torch.ones(8, 8)),
    "conv2d same with strides": lambda torch: torch.nn.Conv2d(3, 8, 3, stride=2, padding="same"),
    "conv groups": lambda torch: torch.nn.Conv2d(3, 4, 1, groups=2),
    "conv1d rank": lambda torch: torch.nn.Conv1d(3, 4, 1)(torch.ones(3)),
    "max_pool2d rank": lambda torch: torch.nn.functional.max_pool2d(torch.ones(8), 2),
    "max_pool2d padding": lambda torch: torch.nn.functional.max_pool2d(torch.ones(1, 8, 8), 2, padding=2),
    "max_pool2d too small": lambda torch: torch.nn.functional.max_pool2d(torch.ones(1, 1, 2, 2), 3),
    "avg_pool2d too small": lambda torch: torch.nn.functional.avg_pool2d(torch.ones(1, 1, 2, 2), 3),
    "batch_norm channels": lambda torch: torch.nn.BatchNorm1d(3)(torch.ones(2, 4)),
    "batch_norm of one value": lambda torch: torch.nn.BatchNorm1d(3)(torch.ones(1, 3)),
    "batch_norm rank": lambda torch: torch.nn.BatchNorm2d(3)(torch.ones(2, 3)),
    "layer_norm": lambda torch: torch.nn.LayerNorm(4)(torch.ones(2, 3)),
    "group_norm": lambda torch: torch.nn.functional.group_norm(torch.ones(2, 5), 2),
    "group_norm channels": lambda torch: torch.nn.GroupNorm(2, 5),
    "instance_norm rank": lambda torch: torch.nn.InstanceNorm2d(3)(torch.ones(2, 3)),
    "pad of too many": lambda torch: torch.nn.functional.pad(torch.ones(2), (1, 1, 1, 1)),
    "pad of an odd number": lambda torch: torch.nn.functional.pad(torch.ones(2), (1,)),
    "pad reflecting too far": lambda torch: torch.nn.functional.pad(torch.ones(1, 2), (3, 3), mode="reflect"),
    "pad in an unknown mode": lambda torch: torch.nn.functional.pad(torch.ones(1, 2), (1, 1), mode="odd"),
    "interpolate without a size": lambda torch: torch.nn.functional.interpolate(torch.ones(1, 1, 2)),
    "interpolate with both sizes": lambda torch: torch.nn.functional.interpolate(torch.ones(1, 1, 2), 2, 2.0),
    "interpolate rank": lambda torch: torch.nn.functional.interpolate(torch.ones(1, 1, 2), 2, mode="bilinear"),
    "cross_entropy batch": lambda torch: _cross_entropy(torch, torch.zeros(3).long()),
    "cross_entropy rank": lambda torch: _cross_entropy(torch, torch.zeros(2, 2).long()),
    "cross_entropy weight": lambda torch: _cross_entropy(torch, torch.zeros(2).long(), weight=torch.ones(2)),
    "cross_entropy reduction": lambda torch: _cross_entropy(torch, torch.zeros(2).long(), reduction="odd"),
    "cross_entropy smoothing": lambda torch: _cross_entropy(torch, torch.zeros(2).long(), label_smoothing=2.0),
    "nll_loss batch": lambda torch: torch.nn.functional.nll_loss(torch.ones(2, 3), torch.zeros(4).long()),
    "binary_cross_entropy": lambda torch: _loss(torch, "binary_cross_entropy", (2, 3), (2,)),
    "bce_with_logits": lambda torch: _loss(torch, "binary_cross_entropy_with_logits", (2, 3), (2,)),
    "mse_loss": lambda torch: torch.nn.functional.mse_loss(torch.ones(2), torch.ones(2), reduction="odd"),
    "huber_loss": lambda torch: torch.nn.functional.huber_loss(torch.ones(2), torch.ones(2), delta=-1.0),
    "cosine_embedding_loss": lambda torch: _loss(torch, "cosine_embedding_loss", (2, 3), (2, 3), (3,)),
    "lstm input size": lambda torch: torch.nn.LSTM(3, 4)(torch.ones(5, 2, 6)),
    "lstm state size": lambda torch: torch.nn.LSTM(3, 4)(torch.ones(5, 2, 3), (torch.ones(1, 3, 4),) * 2),
    "lstm rank": lambda torch: torch.nn.LSTM(3, 4)(torch.ones(3)),
    "gru rank": lambda torch: torch.nn.GRU(3, 4)(torch.ones(5)),
    "gru state size": lambda torch: torch.nn.GRU(3, 4)(torch.ones(5, 2, 3), torch.ones(2, 2, 4)),
    "gru cell": lambda torch: torch.nn.GRUCell(3, 4)(torch.ones(2, 5)),
    "rnn nonlinearity": lambda torch: torch.nn.RNN(3, 4, nonlinearity="odd"),
    "attention heads": lambda torch: torch.nn.MultiheadAttention(5, 2),
    "attention width": lambda torch: torch.nn.MultiheadAttention(4, 2)(*(torch.ones(2, 1, 3),) * 3),
    "attention of unequal ranks": lambda torch: torch.nn.MultiheadAttention(4, 2)(
        torch.ones(2, 4), torch.ones(2, 1, 4), torch.ones(2, 1, 4)
    ),
    "attention of other widths": lambda torch: torch.nn.functional.scaled_dot_product_attention(
        torch.ones(1, 2, 4), torch.ones(1, 2, 3), torch.ones(1, 2, 3)
    ),
    "attention of other lengths": lambda torch: torch.nn.functional.scaled_dot_product_attention(
        torch.ones(2, 3), torch.ones(2, 3), torch.ones(5, 3)
    ),
    "attention with mask and causal": lambda torch: torch.nn.functional.scaled_dot_product_attention(
        *(torch.ones(1, 2, 4),) * 3, attn_mask=torch.ones(2, 2) > 0, is_causal=True
    ),
    "embedding padding": lambda torch: torch.nn.Embedding(3, 2, padding_idx=5),
    "dropout probability": lambda torch: torch.nn.Dropout(1.5),
    "one_hot classes": lambda torch: torch.nn.functional.one_hot(torch.tensor([0]), 0),
    "glu of an odd size": lambda torch: torch.nn.functional.glu(torch.ones(3)),
    "pixel_shuffle": lambda torch: torch.nn.functional.pixel_shuffle(torch.ones(1, 3, 2, 2), 2),
    "Unflatten": lambda torch: torch.nn.Unflatten(1, 3),
    "Upsample": lambda torch: torch.nn.Upsample(2, mode="odd")(torch.ones(1, 1, 2)),
    # modules
    "missing key": lambda torch: _load(torch, {"0.weight": torch.ones(3, 2)}),
    "unexpected key": lambda torch: _load(torch, {**_state(torch, 2, 3), "1.bias": torch.ones(1)}),
    "missing and unexpected": lambda torch: _load(torch, {"weight": torch.ones(3, 2)}),
    "another shape": lambda torch: _load(torch, _state(torch, 2, 4)),
    "another shape, not strict": lambda torch: _load(torch, _state(torch, 4, 3), strict=False),
    "no tensors": lambda torch: _load(torch, {"0.weight": 1, "0.bias": [2.0]}),
    "no dict": lambda torch: _load(torch, [1]),
    "no forward": lambda torch: _module(torch)()(torch.ones(1)),
    "no such layer": lambda torch: _linear(torch, 2, 2).get_submodule("1.a"),
    "no such parameter": lambda torch: _linear(torch, 2, 2).get_parameter("0.a"),
    "no parameter": lambda torch: _linear(torch, 2, 2).get_parameter("0.training"),
    "no such buffer": lambda torch: _linear(torch, 2, 2).get_buffer("0.weight"),
    "train of text": lambda torch: torch.nn.Linear(2, 2).train("a"),
    "unknown attribute": lambda torch: torch.nn.Linear(2, 2).wieght,
    "deleted attribute": lambda torch: delattr(torch.nn.Linear(2, 2), "wieght"),
    "init with arguments": lambda torch: _module(torch)(3),
    "init with keywords": lambda torch: _module(torch)(a=3),
    "Parameter assignment": lambda torch: setattr(torch.nn.Linear(2, 2), "weight", torch.ones(2, 2)),
    "register_buffer of no tensor": lambda torch: torch.nn.Module().register_buffer("a", 1),
    "register_buffer of a name taken": lambda torch: torch.nn.BatchNorm1d(2).register_buffer("weight", None),
    "register_parameter of a tensor": lambda torch: torch.nn.Module().register_parameter("a", torch.ones(1)),
    "name with a dot": lambda torch: torch.nn.Module().register_parameter("a.b", None),
    "add_module of no module": lambda torch: torch.nn.Module().add_module("a", 1),
    "Sequential index": lambda torch: _linear(torch, 2, 3)[1],
    "Sequential of a function": lambda torch: torch.nn.Sequential(len),
    "ModuleList index": lambda torch: torch.nn.ModuleList()[0],
    "ModuleList of a function": lambda torch: torch.nn.ModuleList([len]),
    "ModuleDict key": lambda torch: torch.nn.ModuleDict()["a"],
    "ParameterList index": lambda torch: torch.nn.ParameterList()[0],
    "to an integer dtype": lambda torch: torch.nn.Linear(2, 2).to(torch.int64),
    "requires_grad_ of a layer of integers": lambda torch: torch.nn.Linear(2, 2).long().requires_grad_(),
    "clip_grad_norm_ of infinity": lambda torch: torch.nn.utils.clip_grad_norm_(
        torch.autograd.Variable(torch.ones(1)), 1.0, norm_type="a"
    ),
    "kaiming_uniform_ of a vector": lambda torch: torch.nn.init.kaiming_uniform_(torch.ones(2)),
    "calculate_gain": lambda torch: torch.nn.init.calculate_gain("odd"),
    "load of a file that is not there": lambda torch: torch.load("no such file"),
    "load of a number": lambda torch: torch.load(3),
}
