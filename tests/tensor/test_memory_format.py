"""Memory formats: the operators that preserve channels last, and the strides of their results."""

import pytest

from tests.oracle import both

# y: channels last; x4: row-major; w, w2, wcl: weights of a convolution, the last one channels last.
EXPRESSIONS = [
    "y+1",
    "y*y",
    "y.relu()",
    "-y",
    "y+x4(torch)",
    "x4(torch)+y",
    "y.sum(1)",
    "y.sum(1,keepdim=True)",
    "y.mean((2,3))",
    "y[0]",
    "y[:1]",
    "torch.cat([y,y])",
    "torch.cat([y,x4(torch)],1)",
    "torch.cat([x4(torch),y],1)",
    "y.where(y>3,0.)",
    "y.clamp(0,1)",
    "y.softmax(1)",
    "y.log_softmax(1)",
    "y.exp()",
    "torch.maximum(y,y)",
    "y>2",
    "y.to(torch.int32)",
    "y.flip(3)",
    "y.roll(1)",
    "y.permute(0,2,3,1).contiguous()",
    "y.reshape(2,-1)",
    "y.cumsum(1)",
    "y.cumprod(1)",
    "y.argmax(1)",
    "y.masked_fill(y>3,0)",
    "torch.where(y>1,y,y)",
    "y.bool()",
    "y.half()",
    "torch.rand_like(y)",
    "torch.zeros_like(y)",
    "torch.full_like(y,2)",
    "torch.randn_like(y)",
    "F.dropout(y,0.5)",
    "y.index_select(1,torch.tensor([0,2]))",
    "torch.lerp(y,y,0.5)",
    "torch.addcmul(y,y,y)",
    "y.pow(2)",
    "F.gelu(y)",
    "F.pad(y,(1,1))",
    "y.repeat(1,1,1,2)",
    "y.unsqueeze(0)",
    "y.gather(1,torch.zeros(2,1,2,4,dtype=torch.int64))",
    "y.tril()",
    "y.norm(dim=1)",
    "y.var(1)",
    "y.logsumexp(1)",
    "y.topk(1,1).values",
    "y.max(1).values",
    "y.amax(1)",
    "y.all(1)",
    "y.median(1).values",
    "y.kthvalue(1,1).values",
    "y@y.mT",
    "y.sum(1,keepdim=True)+y",
    "y+torch.ones(4)",
    "y+torch.ones(3,1,1)",
    "torch.ones(2,3,2,4)+y.to(torch.float64)",
    "torch.complex(y,y)",
    "y.scatter(1,torch.zeros(2,1,2,4,dtype=torch.int64),1.)",
    "y.take_along_dim(torch.zeros(2,1,2,4,dtype=torch.int64),1)",
    "torch.einsum('bchw->bhwc',y)",
    "y.expand(2,3,2,4)",
    "y.tile(2,1,1,1)",
    "torch.nan_to_num(y)",
    "torch.fmod(y,2)",
    "y.floor()",
    "y.new_zeros(2,3)",
    "torch.empty_like(y)",
    "y.type(torch.float64)",
    "y.clone()",
    "y.unflatten(1,(3,1))",
    "y.flatten(1)",
    "y.squeeze()",
    "y.narrow(1,0,2)",
    "y[:, ::2]",
    "y[:,torch.tensor([0,1])]",
    "y[torch.tensor([0,1])]",
    "y[..., torch.tensor([0,1])]",
    "y[y>3]",
    "y.masked_select(y>3)",
    "torch.bernoulli(y*0+0.5)",
    "y.contiguous()",
    "torch.atleast_2d(y)",
    "y.movedim(1,-1)",
    "torch.broadcast_to(y,(2,2,3,2,4))",
    "F.layer_norm(y,(4,))",
    "F.batch_norm(y,torch.zeros(3),torch.ones(3))",
    "F.conv2d(y,w)",
    "F.conv2d(x4(torch),wcl)",
    "F.conv2d(x4(torch),w2.contiguous(memory_format=torch.channels_last))",
    "F.max_pool2d(y,2)",
    "F.avg_pool2d(y,2)",
    "F.adaptive_avg_pool2d(y,1)",
    "F.adaptive_avg_pool2d(y,2)",
    "F.adaptive_max_pool2d(y,1)",
    "F.group_norm(y,3)",
    "F.layer_norm(y,(2,4))",
    "F.interpolate(y,scale_factor=2.)",
    "F.interpolate(y,scale_factor=2.,mode='bilinear')",
    "F.interpolate(y,scale_factor=2.,mode='bicubic')",
    "F.pixel_shuffle(torch.ones(2,4,2,4).contiguous(memory_format=torch.channels_last),2)",
    "F.conv_transpose2d(y,torch.ones(3,4,2,2))",
    "F.instance_norm(y)",
    "F.pad(y,(1,1,1,1),mode='reflect')",
    "F.pad(y,(1,1,0,0),mode='replicate')",
    "F.pad(y,(1,1,0,0),mode='circular')",
    "F.unfold(y,2)",
    "F.cosine_similarity(y,y)",
    "F.linear(y,torch.ones(5,4))",
    "F.hardtanh(y)",
    "F.dropout2d(y)",
    "F.local_response_norm(y,2)",
    "F.lp_pool2d(y,2.,2)",
    "F.grid_sample(y,torch.zeros(2,2,2,2))",
    "F.silu(y)",
    "F.leaky_relu(y)",
    "F.elu(y)",
    "F.hardswish(y)",
    "F.softplus(y)",
    "F.max_pool2d(y,2,return_indices=True)",
    "F.channel_shuffle(y,3)",
    "F.conv2d(y,w,groups=1,bias=torch.ones(4))",
]


def image(torch):
    return torch.arange(48.0).reshape(2, 3, 2, 4)


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_strides_of_results(expression):
    def program(torch):
        names = {"torch": torch, "F": torch.nn.functional, "x4": image}
        names["y"] = image(torch).contiguous(memory_format=torch.channels_last)
        names["w"], names["w2"] = torch.ones(4, 3, 1, 1), torch.ones(4, 3, 2, 2)
        names["wcl"] = names["w"].contiguous(memory_format=torch.channels_last)
        made = eval(expression, names)
        return [t.stride() for t in made] if isinstance(made, tuple) else made.stride()

    both(program)


def conversions(torch):
    last = torch.channels_last
    x = image(torch)
    y = x.contiguous(memory_format=last)
    z = torch.arange(96.0).reshape(2, 3, 2, 4, 2).contiguous(memory_format=torch.channels_last_3d)
    made = [
        x,
        y,
        z,
        y.clone(),
        y.contiguous(),
        y.clone(memory_format=torch.contiguous_format),
        x.to(memory_format=last),
        y.double(),
        y.to(torch.float64, memory_format=torch.contiguous_format),
        torch.empty_like(y),
        torch.zeros_like(y, memory_format=torch.contiguous_format),
        torch.empty(2, 3, 4, 5, memory_format=last),
        torch.empty_like(x, memory_format=last),
    ]
    made += [t.contiguous(memory_format=last) for t in (x[:1], x[:, :1], x[:, :, :1, :1])]
    formats = [last if t.ndim == 4 else torch.channels_last_3d for t in made]
    return [(t.stride(), t.is_contiguous(), t.is_contiguous(memory_format=f)) for t, f in zip(made, formats)]


def a_module_in_channels_last(torch):
    layers = torch.nn.Sequential(torch.nn.Conv2d(3, 4, 2), torch.nn.BatchNorm2d(4))
    layers = layers.to(memory_format=torch.channels_last)
    return layers[0].weight.stride(), layers(image(torch)).stride(), layers[1].weight.stride()


REFUSED = {
    "rank": lambda torch: torch.zeros(2, 3).contiguous(memory_format=torch.channels_last),
    "rank of empty": lambda torch: torch.empty(2, 3, memory_format=torch.channels_last),
    "preserve": lambda torch: torch.zeros(2, 3).contiguous(memory_format=torch.preserve_format),
}


@pytest.mark.parametrize("program", [conversions, a_module_in_channels_last, *REFUSED.values()])
def test_conversions_and_errors(program):
    both(program)


SHAPES = [(40, 1, 1, 1), (40, 3, 1, 1), (2, 3, 4, 5), (2, 1, 4, 5), (1, 1, 1, 1), (0, 3, 4, 5), (3, 4), (2, 3, 4, 5, 6)]
LAYOUTS = {
    "plain": lambda torch, t: t,
    "channels last": lambda torch, t: t.contiguous(memory_format=torch.channels_last) if t.ndim == 4 else t,
    "transposed": lambda torch, t: t.transpose(0, 1),
    "last dims transposed": lambda torch, t: t.transpose(-2, -1),
    "channels moved last": lambda torch, t: t.movedim(1, -1),
    "channels moved second": lambda torch, t: t.movedim(-1, 1),
}


@pytest.mark.parametrize("layout", LAYOUTS)
@pytest.mark.parametrize("memory_format", ["channels_last", "contiguous_format", "preserve_format", "channels_last_3d"])
def test_to_with_a_memory_format(memory_format, layout):
    """Check that `to` returns the tensor itself if it already has the format."""

    def converted(torch, shape, options):
        source = LAYOUTS[layout](torch, torch.zeros(shape))
        try:
            made = source.to(memory_format=getattr(torch, memory_format), **options)
        except RuntimeError as error:
            return str(error)
        return made is source, made.stride()

    def program(torch):
        kinds = ({}, {"copy": True}, {"dtype": torch.float64})
        return [converted(torch, shape, options) for shape in SHAPES for options in kinds]

    both(program)
