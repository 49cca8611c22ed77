"""The public programs, by field."""

from tests.public_programs import methods, sequences, vision

PROGRAMS = [*sequences.PROGRAMS, *vision.PROGRAMS, *methods.PROGRAMS]
__all__ = ["PROGRAMS"]
