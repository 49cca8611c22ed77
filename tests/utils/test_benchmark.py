"""`torch.utils.benchmark`: tables and measurements, compared with PyTorch's for the same times."""

import random

import pytest
import torch.utils.benchmark as theirs

import torchlike
import torchlike.utils.benchmark as ours


def measured(library, label: str | None = "L", missing=()):
    """Return measurements of given times: two sub-labels, two descriptions, two numbers of threads."""
    random.seed(0)
    found = []
    for sub_label, description, threads in [
        (s, d, n) for n in (1, 2) for s in ("a", "longer") for d in ("x", "yy", "")
    ]:
        median = 1e-6 * threads if description == "x" else 2.5e-3
        times = [10 * median * (1 + 0.01 * random.random()) for _ in range(5)]
        task = library.TaskSpec("x + 1", "pass", "", label, sub_label, description, None, threads)
        if (sub_label, description) not in missing:
            found.append(library.Measurement(10, times, task))
    return found


@pytest.mark.parametrize("trims", [False, True])
@pytest.mark.parametrize("missing", [(), [("a", "x")]])
def test_the_table(trims, missing):
    tables = []
    for library in (ours, theirs):
        table = library.Compare(measured(library, None, missing))
        table.extend_results(measured(library, "second", missing))
        if trims:
            table.trim_significant_figures()
        tables.append(str(table))
    assert tables[0] == tables[1]


def test_the_fastest_cells_are_colored():
    tables = []
    for library in (ours, theirs):
        table = library.Compare([found for found in measured(library) if found.num_threads == 1])
        table.colorize()
        tables.append(str(table))
    assert tables[0] == tables[1]


def test_only_measurements_are_compared():
    for library in (ours, theirs):
        with pytest.raises(ValueError, match="Expected an instance of `Measurement`"):
            library.Compare([1.0])


def test_a_measurement():
    names = ("median", "mean", "iqr", "title", "as_row_name", "label", "description", "num_threads", "stmt")
    for mine, other in zip(measured(ours), measured(theirs), strict=True):
        assert mine.times == pytest.approx(other.times)
        assert [getattr(mine, name) for name in names] == pytest.approx([getattr(other, name) for name in names])
        assert mine.significant_figures == other.significant_figures
        assert mine.meets_confidence() == other.meets_confidence()
    merged = [library.Measurement.merge(measured(library) * 2) for library in (ours, theirs)]
    assert [len(found.times) for found in merged[0]] == [len(found.times) for found in merged[1]]
    assert [found.median for found in merged[0]] == pytest.approx([found.median for found in merged[1]])


def test_measuring_until_the_times_agree():
    timer = ours.Timer("x + 1", globals={"x": torchlike.ones(2)}, sub_label="one", description="add")
    found = timer.adaptive_autorange(0.5, min_run_time=0.002, max_run_time=0.05)
    assert found.title == "x + 1: one" and found.median > 0 and found.times
    assert "x + 1: one" in repr(found) and "add" in repr(found)
