"""The layers of the package: the permitted imports between folders, and the exceptions."""

# The folders and modules below the public API, lowest first. Each may import itself and the ones before it.
LAYERS = (
    "_native",
    "_errors",
    "_dtypes",
    "return_types",
    "_engine",
    "_random",
    "_ops",
    "_autograd",
    "_tensor",
    "_mesh",
    "_transforms",
    "_sparse",
    "_quantized",
    "_composite",
    "storage",
)

# Imports that go against the order or close a cycle: the module, and the folder that it imports. The set may only
# shrink.
EXCEPTIONS = {
    ("torchlike.nn._linear_cross_entropy", "utils"),
    ("torchlike.nn.parallel.distributed", "distributed"),
    ("torchlike.utils.data.distributed", "distributed"),
}
MOST_EXCEPTIONS = 3

# Packages that may import only the public API and `torchlike._internal`, and modules that re-export a private folder.
WRITTEN_AGAINST_THE_API = ("nn", "optim", "utils", "distributions", "distributed")
FACES = {
    ("torchlike.nn.functional", "torchlike._composite.functional"),
    ("torchlike.nn.functional", "torchlike._api"),  # names itself as the module of these functions
}

# Folders that may have more files, because PyTorch's own layout has as many.
PYTORCHS_OWN = {"torchlike/distributions", "torchlike/nn/modules"}
MOST_FILES_OF_A_FOLDER = 25
MOST_PRIVATE_MODULES_OF_THE_ROOT = 3
