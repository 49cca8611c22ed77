"""Special functions, under SciPy's names."""

from torchlike._composite.nn import layers
from torchlike._tensor import bind

globals().update(bind.names_in("special"))
expit = bind.PUBLIC["sigmoid"]
gammainc = bind.PUBLIC["igamma"]
gammaincc = bind.PUBLIC["igammac"]
multigammaln = bind.PUBLIC["mvlgamma"]
gammaln = bind.PUBLIC["lgamma"]
softmax = layers.softmax
log_softmax = layers.log_softmax
psi = bind.PUBLIC["digamma"]
xlogy = bind.PUBLIC["xlogy"]
del bind, layers
