"""Tests of masked indexing and masked functions."""
