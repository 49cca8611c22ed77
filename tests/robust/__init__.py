"""Tests with interrupts, threads, failures and leaks.

`python -m tests.robust` runs the long forms and writes docs/robust.md.
"""
