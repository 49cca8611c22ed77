"""The public programs, by field."""

from tests.public_programs import sequences, vision

PROGRAMS = [*sequences.PROGRAMS, *vision.PROGRAMS]
__all__ = ["PROGRAMS"]
