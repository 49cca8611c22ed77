"""The command ``python -m tests.conformance.optimizers``."""

from tests.conformance.optimizers.run import DATABASE

if __name__ == "__main__":
    DATABASE.main()
