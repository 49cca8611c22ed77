"""Conversions of the index vectors of sparse matrices by the private names that libraries call."""

import pytest

from tests.oracle import both

CALLS = {
    "rows": lambda L: L._convert_indices_from_coo_to_csr(L.tensor([0, 0, 2, 3]), 5),
    "int32": lambda L: L._convert_indices_from_coo_to_csr(L.tensor([0, 0, 2, 3]), 5, out_int32=True),
    "from int16": lambda L: L._convert_indices_from_coo_to_csr(L.tensor([0, 3], dtype=L.int16), 4),
    "no elements": lambda L: L._convert_indices_from_coo_to_csr(L.tensor([], dtype=L.int64), 2),
    "floats": lambda L: L._convert_indices_from_coo_to_csr(L.tensor([0.0]), 2),
    "a matrix": lambda L: L._convert_indices_from_coo_to_csr(L.tensor([[0]]), 2),
    "a list": lambda L: L._convert_indices_from_coo_to_csr([0], 2),
    "back": lambda L: L._convert_indices_from_csr_to_coo(L.tensor([0, 2, 2, 3]), L.tensor([1, 0, 2])),
    "back, columns first": lambda L: L._convert_indices_from_csr_to_coo(
        L.tensor([0, 2, 2, 3]), L.tensor([1, 0, 2]), transpose=True, out_int32=True
    ),
    "back from int32": lambda L: L._convert_indices_from_csr_to_coo(L.tensor([0, 1]).int(), L.tensor([4]).int()),
    "back from floats": lambda L: L._convert_indices_from_csr_to_coo(L.tensor([0.0, 1.0]), L.tensor([4])),
    "segments": lambda L: L._segment_reduce(L.arange(3.0), "sum", offsets=L.tensor([0, 1, 3])),
}


@pytest.mark.parametrize("name", CALLS)
def test_index_vectors(name):
    both(CALLS[name])
