"""Special functions, under the names that `torch.special` gives them."""

from torchlike._api import glossary, names
from torchlike._composite.nn import functions
from torchlike._ops import REGISTRY
from torchlike._tensor import binding

globals().update(binding.names_in("special"))
expit = binding.alias(REGISTRY["sigmoid"], "special", "expit")
gammainc = binding.alias(REGISTRY["igamma"], "special", "gammainc")
gammaincc = binding.alias(REGISTRY["igammac"], "special", "gammaincc")
multigammaln = binding.alias(REGISTRY["mvlgamma"], "special", "multigammaln")
gammaln = binding.alias(REGISTRY["lgamma"], "special", "gammaln")
softmax = functions.FUNCTIONS["softmax"]
log_softmax = functions.FUNCTIONS["log_softmax"]
psi = binding.alias(REGISTRY["digamma"], "special", "psi")
xlogy = binding.alias(REGISTRY["xlogy"], "special", "xlogy")
names.settle(__name__, vars())
glossary.complete_all(vars().values())
del REGISTRY, binding, functions, glossary, names
