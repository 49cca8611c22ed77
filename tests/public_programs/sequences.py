"""Programs of language, speech, time series, graphs and recommendation."""

from tests.public_programs.program import Program

PROGRAMS: list[Program] = []
