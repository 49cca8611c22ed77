"""Special functions, under SciPy's names."""

from torchlike import _bind, _functions_nn

globals().update(_bind.names_in("special"))
expit = _bind.PUBLIC["sigmoid"]
gammainc = _bind.PUBLIC["igamma"]
gammaincc = _bind.PUBLIC["igammac"]
multigammaln = _bind.PUBLIC["mvlgamma"]
gammaln = _bind.PUBLIC["lgamma"]
softmax = _functions_nn.softmax
log_softmax = _functions_nn.log_softmax
psi = _bind.PUBLIC["digamma"]
xlogy = _bind.PUBLIC["xlogy"]
del _bind, _functions_nn
