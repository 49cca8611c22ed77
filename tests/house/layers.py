"""The layers of the package: which folder may import which, and what is permitted besides."""

# The folders and modules below the public API, lowest first. Each may import itself and those before it.
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
    "_transforms",
    "_sparse",
    "_composite",
    "storage",
)

# Imports against the order, or that close a cycle: the module and the folder that it imports. May only shrink.
EXCEPTIONS = {
    ("torchlike.nn._linear_cross_entropy", "utils"),
    ("torchlike.nn.parallel.distributed", "distributed"),
    ("torchlike.utils.data.distributed", "distributed"),
}
MOST_EXCEPTIONS = 3

# Packages that import the public API and `torchlike._internal` only, and the modules that are the face of a folder.
WRITTEN_AGAINST_THE_API = ("nn", "optim", "utils", "distributions", "distributed")
FACES = {("torchlike.nn.functional", "torchlike._composite.functional")}

# Folders with more files than others may have, since PyTorch's own layout has as many.
PYTORCHS_OWN = {"torchlike/distributions", "torchlike/nn/modules"}
MOST_FILES_OF_A_FOLDER = 25
MOST_PRIVATE_MODULES_OF_THE_ROOT = 3
