"""Random functions under the transformations of `torch.func`, autograd, `compile` and `make_fx`.

`python -m tests.fuzz_functions` runs any number of programs.
"""
