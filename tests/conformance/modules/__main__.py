"""The command ``python -m tests.conformance.modules``."""

from tests.conformance.modules.run import DATABASE

if __name__ == "__main__":
    DATABASE.main()
