"""Archives with inconsistent parts. `load` refuses them with a message that names the defect, and
PyTorch refuses most of them too."""

import io
import pickle
import random
import re
import struct

import numpy as np
import pytest
import torch

import torchlike
from tests.serialization.crossing import LIBRARIES, load_bytes, save_bytes
from tests.serialization.hostile.archives import Record, build
from tests.serialization.hostile.pickles import Raw, call, name, push, storage
from tests.serialization.hostile.seeds import seeds
from tests.serialization.test_limits import archive, refused


def records(made=None):
    made = {"a": torch.ones(2)} if made is None else made
    buffer = io.BytesIO(save_bytes(torch, made))
    import zipfile

    with zipfile.ZipFile(buffer) as z:
        return {n: Record(n, z.read(n)) for n in z.namelist()}


def with_record(record, **fields):
    found = records()
    for field, value in fields.items():
        setattr(found[f"archive/{record}"], field, value)
    return build(list(found.values()))


@pytest.mark.parametrize("text", [b"1", b"3\n", b"10", b" 3"])
def test_versions_that_are_read(text):
    for T in LIBRARIES:
        assert load_bytes(T, with_record("version", data=text))["a"].tolist() == [1, 1]


@pytest.mark.parametrize("text", [b"0", b"11", b"-1", b"abc", b"", b"9" * 30])
def test_versions_that_are_refused(text):
    with pytest.raises((RuntimeError, IndexError)):
        load_bytes(torch, with_record("version", data=text))
    refused(with_record("version", data=text), "versions 1 to 10 can be read")


@pytest.mark.parametrize("text", [b"", b"BIG", b"\xff"])
def test_byte_orders_that_are_refused(text):
    with pytest.raises(ValueError):
        load_bytes(torch, with_record("byteorder", data=text))
    refused(with_record("byteorder", data=text), "neither little nor big")


@pytest.mark.parametrize("dtype", ["complex64", "complex128", "float16", "bool", "float8_e4m3fn"])
def test_the_other_byte_order(dtype):
    found = records([torch.tensor([1.0, 2.0]).to(getattr(torch, dtype))])
    found["archive/byteorder"].data = b"big"
    expected, seen = (load_bytes(T, build(list(found.values())))[0] for T in LIBRARIES)
    expected, seen = (x.view(T.uint8).tolist() for x, T in zip((expected, seen), LIBRARIES))
    assert seen == expected


@pytest.mark.parametrize("extra", ["/etc/passwd", "other/x", "../x", "x"])
def test_records_outside_the_directory(extra):
    data = build([*records().values(), Record(extra, b"1")])
    for T in LIBRARIES:
        with pytest.raises(
            RuntimeError, match=re.escape(f"file in archive is not in a subdirectory archive/: {extra}")
        ):
            load_bytes(T, data)


@pytest.mark.parametrize("extra", ["archive/../x", "archive/a\\b", "archive/./data/0"])
def test_names_that_lead_out_of_the_archive(extra):
    refused(build([*records().values(), Record(extra, b"1")]), "points outside the archive")


@pytest.mark.parametrize("prefix", ["", "..", "."])
def test_directories_with_no_name(prefix):
    found = list(records().values())
    for record in found:
        record.name = record.name.replace("archive", prefix)
    refused(build(found), "points outside the archive")


def test_overlap_is_told_from_the_local_header():
    """Check that overlaps are found from the local headers.

    The data of a record begins after the name and the extra field of its local header. The directory does not contain
    their lengths.
    """
    refused(with_record("data/0", local={"extra": 20}), "overlap")
    refused(with_record("data/0", local={"name": 3}), "differs from the directory")
    found = records()
    found["archive/data/0"].offset = found["archive/version"].offset = 0
    refused(build(list(found.values())), "overlap")


@pytest.mark.parametrize("options", [{}, {"mmap": True}])
def test_lengths_beyond_the_file(options, tmp_path):
    path = tmp_path / "a.pt"
    path.write_bytes(with_record("data/0", size=1 << 40, packed_size=1 << 40))
    with pytest.raises(RuntimeError, match=r"a\.pt: its records overlap"):
        torchlike.load(path, **options)


@pytest.mark.parametrize("weights_only", [True, False])
def test_a_truncated_file_says_so(weights_only, tmp_path):
    for old in (False, True):
        data = save_bytes(torch, {"a": torch.ones(200)}, _use_new_zipfile_serialization=not old)
        (tmp_path / "a.pt").write_bytes(data[: len(data) // 2])
        with pytest.raises(
            (RuntimeError, pickle.UnpicklingError), match=r"a.pt: .*truncated.*; .*get a new copy of the file"
        ):
            torchlike.load(tmp_path / "a.pt", weights_only=weights_only)


def test_errors_in_pytorchs_words_name_the_file_in_a_note(tmp_path):
    torch.save(torch.nn.Linear(1, 1), tmp_path / "a.pt")
    with pytest.raises(pickle.UnpicklingError) as info:
        torchlike.load(tmp_path / "a.pt")
    assert info.value.__notes__ == [f"The file is {tmp_path / 'a.pt'}."]


# sparse tensors
SPARSE = {
    "last end": (torch.sparse_csr, [0, 1, 2, 9], [0, 1, 2], r"crow_indices\[..., -1\] == nnz"),
    "first end": (torch.sparse_csc, [1, 1, 2, 3], [0, 1, 2], r"ccol_indices\[..., 0\] == 0"),
    "order of ends": (torch.sparse_csr, [0, 2, 1, 3], [0, 1, 2], "crow_indices"),
    "index": (torch.sparse_csr, [0, 1, 2, 3], [0, 1, 7], "0 <= col_indices < ncols"),
    "negative index": (torch.sparse_csc, [0, 1, 2, 3], [0, -1, 2], "0 <= row_indices < nrows"),
    "twice": (torch.sparse_csr, [0, 2, 2, 3], [1, 1, 1], "sorted and distinct"),
}


@pytest.mark.parametrize("what", SPARSE)
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_compressed_indices_are_validated(what):
    layout, ends, plain, why = SPARSE[what]
    made = torch.sparse_compressed_tensor([0, 1, 2, 3], [0, 1, 2], torch.ones(3), (3, 3), layout=layout)
    found = records(made)
    members = [struct.pack(f"<{len(x)}q", *x) for x in (ends, plain)]
    for record in found.values():
        if record.name.endswith(("data/0", "data/1")):
            record.data = members[int(record.name[-1])]
    data = build(list(found.values()))
    with torch.sparse.check_sparse_tensor_invariants(), pytest.raises(RuntimeError, match=why):
        load_bytes(torch, data)
    refused(data, why)


@pytest.mark.parametrize("layout", ["sparse_bsr", "sparse_bsc"])
@pytest.mark.filterwarnings("ignore::UserWarning")
def test_block_layouts_are_refused_by_name(layout):
    made = torch.eye(4).to_sparse(layout=getattr(torch, layout), blocksize=(2, 2))
    with pytest.raises(NotImplementedError, match=f"layout torch.{layout}, which is not supported; convert"):
        load_bytes(torchlike, save_bytes(torch, made))


# calls
ATTRIBUTES = ["data", "grad", "__class__", "requires_grad", "_storage", "shape", "_retains_grad"]


@pytest.mark.parametrize("attribute", ATTRIBUTES)
@pytest.mark.parametrize("nested", [False, True])
def test_a_state_cannot_replace_what_belongs_to_tensors(attribute, nested):
    data = Raw(call("torch._utils._rebuild_tensor_v2", storage(), 0, (2,), (1,), False, {}))
    args = (data, True, {}, {attribute: 1})
    made = call("torch._utils._rebuild_parameter_with_state", *args)
    if nested:
        function, cls = (Raw(name(path)) for path in ("torch._utils._rebuild_parameter_with_state", "torch.Tensor"))
        made = call("torch._tensor._rebuild_from_type_v2", function, cls, args, {"a": 1})
    refused(archive(made, Record("a/data/0", bytes(16))), "sets the attribute")


@pytest.mark.parametrize("location", ["cuda:x", "meta:-1", "tpu:9999", "cuda:"])
def test_locations_that_do_not_exist(location):
    made = call("torch._utils._rebuild_tensor_v2", storage(location=location), 0, (2,), (1,), False, {})
    refused(archive(made, Record("a/data/0", bytes(16))), "does not exist; pass map_location")


@pytest.mark.parametrize("function", [torch.ones(2), torch.ones(0), {"a": 1}, "a" * 10_000, -3])
def test_calls_of_data(function):
    stream = save_bytes(torch, function)
    import zipfile

    with zipfile.ZipFile(io.BytesIO(stream)) as z:
        found = {n: Record(n, z.read(n)) for n in z.namelist()}
    found["archive/data.pkl"].data = found["archive/data.pkl"].data[:-1] + b")R."
    with pytest.raises(pickle.UnpicklingError, match="Trying to call reduce for unrecognized function") as info:
        load_bytes(torchlike, build(list(found.values())))
    assert len(str(info.value)) < 1_500


def test_every_name_that_pytorch_allows_loads_or_is_refused_by_name():
    from torch._weights_only_unpickler import _get_allowed_globals

    unknown = []
    for path in _get_allowed_globals():
        try:
            load_bytes(torchlike, archive(push((Raw(name(path)),))))
        except NotImplementedError as e:
            assert f"it needs {path}, which is not supported" in str(e)
        except pickle.UnpicklingError:
            unknown.append(path)
    assert unknown == []


def test_dtypes_without_tensors_are_values_only():
    assert load_bytes(torchlike, archive(name("torch.complex32"))) is torchlike.complex32
    held = storage("torch.storage.UntypedStorage", count=16)
    made = call("torch._utils._rebuild_tensor_v3", held, 0, (2,), (1,), False, {}, Raw(name("torch.complex32")))
    refused(archive(made, Record("a/data/0", bytes(16))), "torch.complex32, which is not supported")


def test_tensors_from_numpy_under_safe_globals():
    made = torch._utils._rebuild_device_tensor_from_numpy

    class Saved:
        def __reduce__(self):
            return made, (np.arange(3.0), torch.float32, "cpu", True)

    allowed = [np.ndarray, np.dtype, type(np.dtype("f8")), np.arange(1.0).__reduce__()[0]]
    with torchlike.serialization.safe_globals(allowed), torch.serialization.safe_globals(allowed):
        data = save_bytes(torch, Saved())
        for T in LIBRARIES:
            found = load_bytes(T, data)
            assert found.tolist() == [0, 1, 2] and found.dtype is T.float32 and found.requires_grad


# names that load would refuse
@pytest.mark.parametrize("seed", [s for s in seeds() if s.is_zip], ids=lambda s: s.name)
def test_unsafe_names_agree_with_load(seed):
    from tests.serialization.hostile.forged import ALLOWED, FORBIDDEN

    paths = (*ALLOWED, *FORBIDDEN, "os.path.join", "collections.deque", "a b.c")
    for path in random.Random(seed.name).sample(paths, 12):
        stream = b"\x80\x02](" + seed.pickle[2:-1] + name(path) + b"e."
        data = seed.with_pickle(stream)
        expected, found = (T.serialization.get_unsafe_globals_in_checkpoint(io.BytesIO(data)) for T in LIBRARIES)
        assert sorted(found) == sorted(expected)
        try:
            load_bytes(torchlike, data)
            assert found == []
        except pickle.UnpicklingError as e:
            named = [path for path in found if path.removeprefix("builtins.") in str(e)]
            assert bool(named) == bool(found)
        except NotImplementedError:
            assert "which is not supported"


@pytest.mark.parametrize("writer", LIBRARIES)
def test_archives_without_checksums(writer):
    writer.serialization.set_crc32_options(False)
    try:
        assert not writer.serialization.get_crc32_options()
        data = save_bytes(writer, {"a": writer.arange(3.0)})
    finally:
        writer.serialization.set_crc32_options(True)
    for library in LIBRARIES:
        assert load_bytes(library, data)["a"].tolist() == [0.0, 1.0, 2.0]
    assert load_bytes(torch, save_bytes(writer, [1])) == [1] and writer.serialization.get_crc32_options()
