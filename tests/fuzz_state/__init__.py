"""Random programs around a compiled function that reads and changes Python state.

The state also changes between the calls. Each program runs with and without `compile`. Results and remaining state must
be equal after every call.

python -m tests.fuzz_state --count 5000 --seed 1
"""
