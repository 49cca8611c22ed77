"""Saved modules of every class."""

ARGUMENTS = {
    (): """AlphaDropout BCELoss BCEWithLogitsLoss CELU CTCLoss CosineEmbeddingLoss CosineSimilarity CrossEntropyLoss
    Dropout Dropout1d Dropout2d Dropout3d ELU FeatureAlphaDropout Flatten GELU GLU GaussianNLLLoss Hardshrink
    Hardsigmoid Hardswish Hardtanh HingeEmbeddingLoss HuberLoss Identity KLDivLoss L1Loss LeakyReLU
    LogSigmoid LogSoftmax MSELoss MarginRankingLoss Mish MultiLabelMarginLoss MultiLabelSoftMarginLoss
    MultiMarginLoss NLLLoss PReLU PairwiseDistance PoissonNLLLoss RReLU ReLU ReLU6 SELU SiLU Sigmoid
    SmoothL1Loss SoftMarginLoss Softmax Softmax2d Softmin Softplus Softshrink Softsign Tanh Tanhshrink
    TripletMarginLoss TripletMarginWithDistanceLoss Upsample LazyBatchNorm1d LazyBatchNorm2d LazyBatchNorm3d
    LazyInstanceNorm1d LazyInstanceNorm2d LazyInstanceNorm3d""",
    (2,): """AdaptiveAvgPool1d AdaptiveAvgPool2d AdaptiveAvgPool3d AdaptiveMaxPool1d AdaptiveMaxPool2d
    AdaptiveMaxPool3d AvgPool1d AvgPool2d AvgPool3d BatchNorm1d BatchNorm2d BatchNorm3d ChannelShuffle
    CircularPad1d CircularPad2d CircularPad3d InstanceNorm1d InstanceNorm2d InstanceNorm3d LocalResponseNorm
    MaxPool1d MaxPool2d MaxPool3d MaxUnpool1d MaxUnpool2d MaxUnpool3d PixelShuffle PixelUnshuffle
    ReflectionPad1d ReflectionPad2d ReflectionPad3d ReplicationPad1d ReplicationPad2d ReplicationPad3d
    SyncBatchNorm Unfold UpsamplingBilinear2d UpsamplingNearest2d ZeroPad1d ZeroPad2d ZeroPad3d CrossMapLRN2d
    LazyLinear LayerNorm RMSNorm""",
    (2, 3): """ConstantPad1d ConstantPad2d ConstantPad3d Embedding EmbeddingBag Fold GRU GRUCell LPPool1d LPPool2d
    LPPool3d LSTM LSTMCell Linear RNN RNNCell LazyConv1d LazyConv2d LazyConv3d LazyConvTranspose1d
    LazyConvTranspose2d LazyConvTranspose3d LinearCrossEntropyLoss""",
    (2, 2, 2): "Conv1d Conv2d Conv3d ConvTranspose1d ConvTranspose2d ConvTranspose3d Bilinear",
    (2, 4): "GroupNorm FractionalMaxPool2d FractionalMaxPool3d",
    (4, 2): "MultiheadAttention TransformerEncoderLayer TransformerDecoderLayer",
    (0.1, 20): "Threshold",
    (1, (2, 2)): "Unflatten",
}
SPECIAL = {
    "FractionalMaxPool2d": lambda nn: nn.FractionalMaxPool2d(2, output_size=3),
    "FractionalMaxPool3d": lambda nn: nn.FractionalMaxPool3d(2, output_size=3),
    "AdaptiveLogSoftmaxWithLoss": lambda nn: nn.AdaptiveLogSoftmaxWithLoss(4, 8, [2, 4]),
    "Transformer": lambda nn: nn.Transformer(4, 2, 1, 1, 4),
    "TransformerEncoder": lambda nn: nn.TransformerEncoder(nn.TransformerEncoderLayer(4, 2, 4, activation="gelu"), 1),
    "TransformerDecoder": lambda nn: nn.TransformerDecoder(nn.TransformerDecoderLayer(4, 2, 4), 1),
    "TransformerEncoderLayer": lambda nn: nn.TransformerEncoderLayer(4, 2, 4),
    "TransformerDecoderLayer": lambda nn: nn.TransformerDecoderLayer(4, 2, 4, activation="gelu"),
    "ModuleDict": lambda nn: nn.ModuleDict({"a": nn.Linear(2, 2), "b": nn.ReLU()}),
    "ModuleList": lambda nn: nn.ModuleList([nn.Linear(2, 2), nn.Conv1d(1, 2, 1)]),
    "ParameterDict": lambda nn: nn.ParameterDict({"a": nn.Linear(2, 2).weight, "b": nn.Linear(1, 2).bias}),
    "ParameterList": lambda nn: nn.ParameterList([nn.Linear(2, 2).weight, nn.Linear(1, 2).bias]),
    "deep LSTM": lambda nn: nn.LSTM(2, 3, num_layers=2, bidirectional=True, proj_size=2),
    "MultiheadAttention": lambda nn: nn.MultiheadAttention(4, 2, kdim=2, vdim=3, add_bias_kv=True),
}
CLASSES = {name: args for args, names in ARGUMENTS.items() for name in names.split()}
CLASSES.update(dict.fromkeys(SPECIAL, ()))


def module(nn, name):
    """Return a module of the class with this name."""
    return SPECIAL[name](nn) if name in SPECIAL else getattr(nn, name)(*CLASSES[name])


def _changed(made, r):
    if r.random() < 0.5:
        made.eval()
    for parameter in list(made.parameters())[:1]:
        if type(parameter).__name__ == "Parameter":  # lazy parameters have another type
            parameter.requires_grad_(r.random() < 0.5)
    return made


def _nested(T, r):
    names = [name for name in CLASSES if not name.startswith(("Lazy", "Parameter"))]
    inner = T.nn.Sequential(*(module(T.nn, r.choice(names)) for _ in range(2)))
    inner.register_buffer("kept", T.arange(3.0))
    inner.register_buffer("lost", T.ones(2), persistent=False)
    inner.note = {"a": T.float32}
    return _changed(T.nn.Sequential(inner, module(T.nn, r.choice(names)), inner), r)


def _tied(T, r):
    first, second = T.nn.Linear(3, 3), T.nn.Linear(3, 3)
    second.weight = first.weight
    return T.nn.ModuleDict({"first": first, "second": second})


def module_kinds():
    """Return the builders by kind. Each object combines a few modules, so that 500 objects cover all classes."""
    names = list(CLASSES)
    parts = [names[start::15] for start in range(15)]
    return {
        **{f"modules, part {i + 1}": lambda T, r, part=part: _sample(T, r, part) for i, part in enumerate(parts)},
        "nested modules": _nested,
        "tied modules": _tied,
        "state dicts": lambda T, r: _nested(T, r).state_dict(),
    }


def _sample(T, r, part):
    return [_changed(module(T.nn, name), r) for name in r.sample(part, 4)]
