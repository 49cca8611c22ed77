"""Errors of recording and compiling."""
