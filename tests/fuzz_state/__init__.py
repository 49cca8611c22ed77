"""Random programs around a compiled function: Python state that it reads, that it changes, and that changes between its
calls. Each runs with and without `compile`; results and the state left behind must be equal after every call.

python -m tests.fuzz_state --count 5000 --seed 1
"""
