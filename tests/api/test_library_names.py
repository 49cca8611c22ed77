"""Names that libraries written for PyTorch use at import and around their models, compared in both libraries."""

import importlib
import pickle
import typing
from collections import OrderedDict, defaultdict, deque, namedtuple

import pytest

import torchlike
from tests.oracle import both

Point = namedtuple("Point", "x y")
TREE = {"a": [1, (2, 3)], "b": Point(4, {"c": 5}), "d": deque([6, None]), "e": OrderedDict(f=7), "g": []}


def module(L, name):
    return importlib.import_module(f"{L.__name__}.{name}")


VERSIONS = [
    "2.13.0",
    "2.13",
    "2.9.1",
    "2.14.0a0",
    "2.13.0.dev20260101",
    "2.13.0rc1",
    "3",
    "0.4.1",
    "2.13.0+cpu",
    "text",
]


@pytest.mark.parametrize("given", VERSIONS)
@pytest.mark.parametrize("own", ["2.13.0", "2.13.1+cpu", "2.13.0a1", "2.13.0.post2"])
def test_versions_compare(own, given):
    def compared(L):
        v = module(L, "torch_version").TorchVersion(own)
        return v == given, v != given, v < given, v <= given, v > given, v >= given

    both(compared)


@pytest.mark.parametrize("given", [(2, 13), (2, 9), (2, 13, 0), (3,), (1, 13, 1)])
def test_versions_compare_with_tuples(given):
    def compared(L):
        v = module(L, "torch_version").TorchVersion("2.13.0")
        return v == given, v < given, v <= given, v > given, v >= given, v.split("."), isinstance(v, str), hash(v)

    both(compared)


def test_the_version_is_that_of_the_judge():
    import torch

    assert torchlike.__version__.partition("+")[0] == torch.__version__.partition("+")[0]
    assert torchlike.__version__ >= (2, 13) and not torchlike.__version__ > "2.14"
    assert torchlike.__version__ == torchlike.version.__version__ == torchlike.torch_version.__version__
    assert torchlike.__version__.endswith(torchlike.torch_version.OWN)


CHECKS = ["_check", "_check_index", "_check_value", "_check_type", "_check_not_implemented"]


@pytest.mark.parametrize("name", CHECKS)
@pytest.mark.parametrize(
    "given", [(True,), (False,), (False, lambda: "y"), (False, lambda: 3), (1,), (False, "y"), (None,)]
)
def test_check_functions(name, given):
    both(lambda L: getattr(L, name)(*given))


def test_check_functions_of_tensors():
    for condition in ([True, True], [True, False], [], [1.0], [1]):
        both(lambda L, c=condition: L._check_tensor_all(L.tensor(c)))
        both(lambda L, c=condition: L._check_tensor_all_with(ValueError, L.tensor(c), lambda: "why"))
        both(lambda L, c=condition: L._check(L.tensor(c)))
    both(lambda L: L._check_tensor_all(True))
    both(lambda L: L._check_with(KeyError, False, lambda: "why"))
    both(lambda L: L._assert_async(L.tensor(1)))


@pytest.mark.parametrize("name", ["sym_int", "sym_float", "sym_not"])
@pytest.mark.parametrize("given", [2, -2.5, 2.5, True, 0])
def test_sym_functions_of_one_number(name, given):
    both(lambda L: getattr(L, name)(given))


@pytest.mark.parametrize("given", [(1, 2), (2, 1.0), (1.5, -1), (True, 2)])
def test_sym_functions_of_several_numbers(given):
    both(lambda L: [(type(found), found) for found in (L.sym_max(*given), L.sym_min(*given))])
    both(lambda L: L.sym_ite(given[0] > 1, *given))
    both(lambda L: (L.sym_ite(False, 1, 2), L.sym_sum(list(given)), L.sym_sum(*given)))
    both(lambda L: L.sym_ite(given[0], 1, 2))


def test_sizes_are_ints_and_symbolic_classes_raise():
    for name in ("SymInt", "SymFloat", "SymBool"):
        assert not isinstance(torchlike.ones(2).shape[0], getattr(torchlike, name))
        with pytest.raises(NotImplementedError, match=f"torch.{name} is not supported"):
            getattr(torchlike, name)(3)


def test_pytree_paths():
    def found(L):
        tree = module(L, "utils._pytree")
        leaves, spec = tree.tree_flatten_with_path(TREE)
        said = [(tree.keystr(path), leaf, tree.key_get(TREE, path)) for path, leaf in leaves]
        shown = tree.tree_map_with_path(lambda path, *x: (tree.keystr(path), x), TREE, TREE)
        alone = tree.tree_leaves_with_path(TREE, is_leaf=lambda x: isinstance(x, list))
        return said, spec.num_leaves, shown, [tree.keystr(path) for path, _ in alone]

    both(found)


def test_pytree_keys_are_leaves_and_compare_equal():
    def found(L):
        tree = module(L, "utils._pytree")
        keys = tree.SequenceKey(1), tree.MappingKey("a"), tree.GetAttrKey("x")
        ((path, _),) = tree.tree_leaves_with_path({"a": 1})
        leaves = tree.tree_leaves(list(keys))
        return [str(key) for key in keys], keys[0] == (1,), path == (keys[1],), leaves == list(keys)

    both(found)


def test_pytree_paths_of_a_container_registered_without_keys():
    class Box:
        pass

    def found(L):
        tree = module(L, "utils._pytree")
        tree.register_pytree_node(Box, lambda b: ([1], None), lambda parts, _: Box())
        return tree.tree_leaves(Box()), tree.tree_leaves_with_path(Box())

    both(found)
    both(lambda L: module(L, "utils._pytree").tree_leaves_with_path(defaultdict(int, a=1, b=2))[1][1])


Optional = typing.Optional  # the spelling from before `X | None`
KINDS = [
    ([1, 2], list[int]),
    ([1, "a"], list[int]),
    ([], list[str]),
    ((1, "a"), tuple[int, str]),
    ((1,), tuple[int, str]),
    ({"a": 1}, dict[str, int]),
    ({"a": "b"}, dict[str, int]),
    (None, Optional[int]),
    (1, Optional[int]),
    ("a", int | str),
    (1.5, int | str),
    (1, (int, str)),
    (3, int),
    (None, None),
    ([[1], [2]], list[list[int]]),
    ({1: [None]}, dict[int, list[Optional[str]]]),
]


@pytest.mark.parametrize("given, kind", KINDS, ids=str)
def test_jit_isinstance(given, kind):
    both(lambda L: L.jit.isinstance(given, kind))


def test_jit_decorators_and_fork():
    def marked(L):
        @L.jit.script_if_tracing
        def twice(x):
            return 2 * x

        waiting = L.jit.fork(twice, L.ones(2))
        return L.jit.wait(waiting), L.jit.unused(twice)(3), L.jit.ignore(drop=True)(twice)(3), L.jit.is_tracing()

    both(marked)


def test_freeze_needs_a_scripted_module_in_eval_mode():
    both(lambda L: L.jit.freeze(L.jit.script(L.nn.Linear(2, 2))))
    both(lambda L: L.jit.freeze(L.nn.Linear(2, 2).eval()))


def test_fx_wrap():
    def found(L):
        space = {"wrap": module(L, "fx").wrap}
        exec("named, given = wrap('len'), wrap(len)", space)
        return space["named"], space["given"] is len

    both(found)
    both(lambda L: module(L, "fx").wrap(3))
    both(lambda L: module(L, "fx").wrap(len))


REFUSED = {
    "_subclasses.FakeTensorMode": ("_subclasses", "FakeTensorMode", ()),
    "PyTorchFileReader": ("serialization", "PyTorchFileReader", ("f",)),
}


@pytest.mark.parametrize("name", REFUSED)
def test_import_only_names_raise_when_used(name):
    place, attribute, args = REFUSED[name]
    with pytest.raises(NotImplementedError, match=name.rpartition(".")[2]):
        getattr(module(torchlike, place), attribute)(*args)


def test_load_library_raises():
    with pytest.raises(OSError, match="needs PyTorch's own C"):
        torchlike.ops.load_library("lib.so")


def test_quant_stubs_in_a_float_model():
    def found(L):
        places = module(L, "ao.quantization")
        model = L.nn.Sequential(places.QuantStub(), L.nn.ReLU(), places.DeQuantStub())
        return model(L.tensor([-1.0, 2.0])), repr(model), list(model.state_dict())

    both(found)


def test_dispatch_keys():
    def found(L):
        key = L._C.DispatchKey
        keys = L._C.DispatchKeySet(key.CPU) | L._C.DispatchKeySet(key.CUDA)
        return keys.has(key.CPU), keys.has(key.Meta), isinstance(L.nn.Parameter(L.ones(1)), L._C._TensorMeta)

    both(found)
    with torchlike._C.DisableTorchFunctionSubclass():
        assert torchlike._C._get_default_device() == "cpu"


def test_type_hints_of_module():
    hints = typing.get_type_hints(torchlike.nn.Module)
    assert {"_parameters", "_buffers", "_modules", "training"} <= hints.keys()


def test_aten_operators_called_by_name():
    def found(L):
        x = L.arange(6.0).reshape(2, 3)
        index = L.ops.aten.index(x, [None, L.tensor([2, 0])])
        return index, L.ops.aten._local_scalar_dense(L.tensor(3)), L.ops.aten.add_(x, 1), x

    both(found)


def test_custom_op_kernels_by_device_type():
    def found(L):
        library = module(L, "library")

        def sine(x: L.Tensor) -> L.Tensor:
            return x.sin()

        op = library.custom_op("kinds::wave", sine, mutates_args=(), device_types="cuda")
        cosine = op.register_kernel("cpu")(lambda x: x.cos())
        said = [op(L.ones(2)), cosine(L.zeros(1)), L.ops.kinds.wave(L.ones(1))]
        library.register_kernel("kinds::wave", ["cpu", "cuda"], lambda x: x.exp())
        return said, op(L.ones(2))

    both(found)


def test_custom_op_without_a_cpu_kernel_raises():
    for L in (torchlike, importlib.import_module("torch")):

        def sine(x: L.Tensor) -> L.Tensor:
            return x.sin()

        op = module(L, "library").custom_op("kinds::other", sine, mutates_args=(), device_types=["cuda"])
        with pytest.raises(
            NotImplementedError, match="Could not run 'kinds::other' with arguments from the 'CPU' backend"
        ):
            op(L.ones(2))


NAMED = [
    "complex32",
    "chalf",
    "float4_e2m1fn_x2",
    "int1",
    "int7",
    "uint1",
    "uint4",
    "bits8",
    "bits16",
    "bits1x8",
    "bit",
]


@pytest.mark.parametrize("name", NAMED)
def test_dtypes_without_tensors_have_pytorchs_attributes(name):
    both(lambda L: (str(getattr(L, name)), getattr(L, name).itemsize, isinstance(getattr(L, name), L.dtype)))
    both(lambda L: [getattr(getattr(L, name), fact) for fact in ("is_complex", "is_floating_point", "is_signed")])
    both(lambda L: pickle.loads(pickle.dumps(getattr(L, name))) is getattr(L, name))


MAKERS = {
    "to": lambda L, d: L.ones(2).to(d),
    "zeros": lambda L, d: L.zeros(2, dtype=d),
    "view": lambda L, d: L.ones(2).view(d),
    "meta": lambda L, d: L.empty(2, dtype=d, device="meta"),
    "tensor": lambda L, d: L.tensor([1], dtype=d),
    "promote": lambda L, d: L.promote_types(d, L.float32),
    "sum": lambda L, d: L.ones(2).sum(dtype=d),
    "type": lambda L, d: L.ones(2).type(d),
    "module": lambda L, d: L.nn.Linear(2, 2).to(d),
    "default": lambda L, d: L.set_default_dtype(d),
    "like": lambda L, d: L.empty_like(L.ones(2), dtype=d),
}


@pytest.mark.filterwarnings("ignore:Complex modules")
@pytest.mark.parametrize("maker", MAKERS)
@pytest.mark.parametrize("name", ["complex32", "float4_e2m1fn_x2", "int4", "bits8"])
def test_dtypes_without_tensors_are_refused_by_factories(name, maker):
    with pytest.raises((NotImplementedError, TypeError)):
        MAKERS[maker](torchlike, getattr(torchlike, name))
    assert torchlike.get_default_dtype() is torchlike.float32


def defined(L):
    library = module(L, "library")
    library.define("raw::scale", "(Tensor x, int n=2) -> Tensor")
    library.impl("raw::scale", "cpu", lambda x, n=2: x * n)
    own = library.Library("raw", "FRAGMENT")
    name = own.define("wave(Tensor x) -> Tensor")
    own.impl(name, lambda x: x.sin(), "CompositeImplicitAutograd")
    own.define("next(Tensor x) -> Tensor")
    library.impl(own, "next", "CPU")(lambda x: x + 1)
    x = L.ones(2, requires_grad=True)
    L.ops.raw.wave(x).sum().backward()
    made = L.ops.raw.scale(L.ones(2)), L.ops.raw.scale.default(L.ones(2), 5), L.ops.raw.next(L.ones(1))
    return name, *made, x.grad


def kernels_for_autograd(L, key, triton):
    library = module(L, "library")
    name = f"tracked_{key}_{triton}".lower()

    def kernel(x: L.Tensor) -> L.Tensor:
        return x * 2

    if triton:
        library.triton_op(f"{name}::f", kernel, mutates_args=())
        own = library.Library(name, "FRAGMENT")
    else:
        own = library.Library(name, "FRAGMENT")
        own.define("f(Tensor x) -> Tensor")
        own.impl("f", kernel, "CPU")
    own.impl("f", lambda x: x**3, key)
    x = L.full((2,), 2.0, requires_grad=True)
    result = getattr(L.ops, name).f.default(x)
    result.sum().backward()
    return result.detach(), x.grad, getattr(L.ops, name).f(x.detach())


@pytest.mark.parametrize("triton", [False, True])
@pytest.mark.parametrize("key", ["Autograd", "AutogradCPU"])
def test_library_kernels_for_the_autograd_key(key, triton):
    both(lambda L: kernels_for_autograd(L, key, triton))


def test_operators_defined_by_schema():
    both(defined)
    both(lambda L: L.ops.raw.nothing)
    both(lambda L: module(L, "library").Library("raw", "NO"))


def test_defining_an_operator_twice_raises():
    for L in (torchlike, importlib.import_module("torch")):
        own = module(L, "library").Library("twice", "DEF")
        own.define("f(Tensor x) -> Tensor")
        with pytest.raises(
            RuntimeError, match=r"^Tried to register an operator \(twice::f\(Tensor x\) -> Tensor\) with"
        ):
            own.define("f(Tensor x) -> Tensor")
        with pytest.raises(
            NotImplementedError, match=r"^Could not run 'twice::f' with arguments from the 'CPU' backend"
        ):
            L.ops.twice.f(L.ones(2))


def test_get_cpu_capability():
    both(lambda L: module(L, "backends.cpu").get_cpu_capability())


def test_settings_of_einsum_and_nnpack_are_kept():
    def switched(L):
        order, kernels = module(L, "backends.opt_einsum"), module(L, "backends.nnpack")
        before = [order.is_available(), order.enabled, order.strategy, order.set_flags(True, "greedy")]
        with order.flags(True, "auto"), kernels.flags(False):
            within = [order.enabled, order.strategy, kernels.set_flags(True)]
        after = [
            order.strategy,
            order.set_flags(True, "auto"),
            kernels.set_flags(True),
            order.get_opt_einsum().__name__,
        ]
        return before + within + after

    both(switched)


def test_mha_fastpath_can_be_switched():
    def switched(L):
        kernels = module(L, "backends.mha")
        kernels.set_fastpath_enabled(False)
        seen = kernels.get_fastpath_enabled()
        kernels.set_fastpath_enabled(True)
        return seen, kernels.get_fastpath_enabled()

    both(switched)


def test_private_functions_that_print_tensors():
    def text(L):
        write = module(L, "_tensor_str")
        t = L.arange(30.0).reshape(3, 10)
        with write.printoptions(precision=2):
            seen = write.PRINT_OPTS.precision, write._tensor_str(t / 7, 4)
        said = [write._add_suffixes("ab" * n, ["x=1", "y"], 3, b) for n, b in ((1, False), (50, True))]
        grad = L.ones(2, requires_grad=True) * 2
        return seen, said, write._str(t[0, :2]), write._str(grad, tensor_contents="..."), write.PRINT_OPTS.threshold

    both(text)


@pytest.mark.parametrize("params", ["[a]", "[a, None]", "[i]", "[]", "[a, i]"])
@pytest.mark.parametrize("differentiable", [False, True])
@pytest.mark.parametrize("fused", [False, True])
def test_default_to_fused_or_foreach(params, differentiable, fused):
    def chosen(L):
        given = eval(params, {"a": L.ones(2), "i": L.ones(2).int()})
        return module(L, "optim.optimizer")._default_to_fused_or_foreach(given, differentiable, fused)

    both(chosen)


def test_use_grad_for_differentiable():
    def enabled(L):
        class Own(L.optim.Optimizer):
            @module(L, "optim.optimizer")._use_grad_for_differentiable
            def step(self):
                return L.is_grad_enabled()

        return [Own([L.ones(1, requires_grad=True)], {"differentiable": d}).step() for d in (False, True)]

    both(enabled)


def test_private_names_that_libraries_import():
    def program(L):
        p = L.eye(3).double() * 2 + 1
        devices, states = module(L, "utils.checkpoint").get_device_states(L.ones(2), 3)
        module(L, "utils.checkpoint").set_device_states(devices, states)
        return (
            module(L, "distributions.multivariate_normal")._precision_to_scale_tril(p),
            module(L, "distributions.transforms")._clipped_sigmoid(L.tensor([-100.0, 0, 100])),
            module(L, "nn.modules.transformer")._get_activation_fn("gelu")(L.ones(2)),
            module(L, "nn.parameter").is_lazy(L.nn.LazyLinear(2).weight),
            module(L, "nn.parameter").is_lazy(L.nn.Parameter(L.ones(2))),
            module(L, "_dynamo.eval_frame").is_dynamo_supported(),
            [(p.name, p.value) for p in module(L, "utils.checkpoint").CheckpointPolicy],
            [module(L, "optim.optimizer")._get_value(x) for x in (L.tensor(2.0), L.ones(1).long(), 3, "a")],
            module(L, "optim.lr_scheduler").EPOCH_DEPRECATION_WARNING,
            module(L, "distributions.multivariate_normal")._batch_mv(p.float(), L.arange(6.0).view(2, 3)),
            module(L, "distributions.multivariate_normal")._batch_mahalanobis(p.float().tril(), L.ones(2, 3)),
            module(L, "distributions.transformed_distribution")._sum_rightmost(L.ones(2, 3, 4), 2),
            L.nn.functional._Reduction.get_enum("sum"),
            module(L, "nn.parallel.scatter_gather").scatter((1, "a"), [0]),
            (devices, states),
        )

    both(program)


def test_warn_get_lr_called_within_step():
    def rates(L):
        class Halves(L.optim.lr_scheduler.LRScheduler):
            def get_lr(self):
                module(L, "optim.lr_scheduler")._warn_get_lr_called_within_step(self)
                return [group["lr"] / 2 for group in self.optimizer.param_groups]

        scheduler = Halves(L.optim.SGD([L.ones(1, requires_grad=True)], 1.0))
        return scheduler.get_last_lr(), scheduler.get_lr()

    both(rates)


def test_tensor_type_and_scatter_over_devices_raise():
    from torchlike.nn.parallel import gather, scatter

    assert torchlike.TensorType.__module__ == "torch" and not isinstance(torchlike.ones(1), torchlike.TensorType)
    for call in (
        torchlike.TensorType,
        torchlike.TensorType.get,
        lambda: scatter(1, [0, 1]),
        lambda: gather([1, 2], 0),
    ):
        with pytest.raises(NotImplementedError, match="is not supported by torchlike"):
            call()
    assert gather([3], 0) == 3 and scatter(torchlike.ones(2), [0])[0].tolist() == [1, 1]


def test_take_tensors_groups_by_dtype_and_size():
    def taken(L):
        shapes = [(3, L.float32), (2, L.float64), (4, L.float32), (9, L.float32), (1, L.float64), (0, L.int64)]
        tensors = [L.zeros(n, dtype=dtype) for n, dtype in shapes]
        return [[(t.dtype, tuple(t.shape)) for t in c] for c in module(L, "_utils")._take_tensors(tensors, 30)]

    def plain(L):
        return [[(str(dtype), shape) for dtype, shape in chunk] for chunk in taken(L)]

    import torch

    assert [[(d.replace("torchlike", "torch"), s) for d, s in c] for c in plain(torchlike)] == plain(torch)


@pytest.mark.filterwarnings("ignore:.*assert_allclose:FutureWarning")
@pytest.mark.parametrize("shift", [0.0, 5e-6, 5e-5, 2e-4])
@pytest.mark.parametrize("dtypes", [("float32", "float32"), ("float64", "float64"), ("float64", "float32")])
def test_assert_allclose(dtypes, shift):
    def close(L):
        actual, expected = (L.ones(2, dtype=getattr(L, dtype)) for dtype in dtypes)
        try:
            return module(L, "testing").assert_allclose(actual, expected + shift)
        except AssertionError as error:
            return str(error).partition("Greatest")[0]  # the last digits of the differences may vary

    both(close)


def test_assert_allclose_of_numbers_and_nan():
    def close(L):
        with pytest.warns(FutureWarning, match="assert_allclose"):
            module(L, "testing").assert_allclose(L.tensor([float("nan"), 1.0]), [float("nan"), 1.0])
        with pytest.warns(FutureWarning, match="assert_close"):
            module(L, "testing").assert_allclose([1, 2], [1, 3])

    both(close)


def test_decorator_context_managers():
    def run(L):
        base, seen = module(L, "utils._contextlib"), []

        class Mode(base._DecoratorContextManager):
            def __init__(self, name):
                self.name = name

            def clone(self):
                return type(self)(self.name)

            def __enter__(self):
                seen.append(f"in {self.name}")

            def __exit__(self, *error):
                seen.append(f"out {self.name}")

        class Plain(base._NoParamDecoratorContextManager):
            def __enter__(self):
                seen.append("in")

            def __exit__(self, *error):
                seen.append("out")

        @Mode("a")
        def plain(x):
            seen.append(x)
            return x + 1

        @Plain
        def steps():
            seen.append((yield 1))
            yield 2

        made = steps()
        return plain(1), next(made), made.send("sent"), list(made), seen, plain.__name__

    both(run)


def test_calling_torch_function_of_tensor():
    def run(L):
        x, kind = L.arange(4.0), L.Tensor
        return kind.__torch_function__(L.add, (kind,), (x, 1)), kind.__torch_function__(
            L.sum, (kind,), (x,), {"dim": 0}
        )

    both(run)
