"""Special functions, under the names that `torch.special` gives them."""

from torchlike._api import glossary, names
from torchlike._composite.nn import functions
from torchlike._tensor import binding

globals().update(binding.names_in("special"))
expit = binding.PUBLIC["sigmoid"]
gammainc = binding.PUBLIC["igamma"]
gammaincc = binding.PUBLIC["igammac"]
multigammaln = binding.PUBLIC["mvlgamma"]
gammaln = binding.PUBLIC["lgamma"]
softmax = functions.FUNCTIONS["softmax"]
log_softmax = functions.FUNCTIONS["log_softmax"]
psi = binding.PUBLIC["digamma"]
xlogy = binding.PUBLIC["xlogy"]
names.settle(__name__, vars())
glossary.complete_all(vars().values())
del binding, functions, glossary, names
