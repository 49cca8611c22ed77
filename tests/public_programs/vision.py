"""Programs of vision, generative models, reinforcement learning and science."""

from tests.public_programs.program import Program

PROGRAMS: list[Program] = []
