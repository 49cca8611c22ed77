"""Tests of the documentation's pages: links, table of contents, environment variables, and the API reference."""

import importlib
import operator
import re

import pytest

from tests.house.source import sources
from tools import pages, reference

PAGES = [*pages.pages(), *(pages.ROOT / path for path in pages.INCLUDED)]
EACH = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.relative_to(pages.ROOT).as_posix())
# Names of torchlike that PyTorch does not have in the same place.
OWN = {
    *("torchlike.clear_cache", "torchlike.distribute", "torchlike.explain", "torchlike.install"),
    *("torchlike.load_ipython_extension", "torchlike.set_executor", "torchlike.optim.from_optax"),
    # Operators that PyTorch has under another name, or as a method only.
    *("torchlike.expand", "torchlike.grad", "torchlike.unfold", "torchlike.view", "torchlike.Tensor.rsub"),
    *("torchlike.Tensor.cumulative_trapezoid", "torchlike.Tensor.trapezoid"),
    *("torchlike.serialization.LoadLimits", "torchlike.serialization.get_load_limits"),
    *("torchlike.serialization.load_limits", "torchlike.serialization.set_load_limits"),
}


@EACH
def test_links_and_anchors_lead_somewhere(page):
    broken = []
    for link in pages.links(page.read_text("utf-8")):
        path, _, anchor = link.partition("#")
        target = page.parent / path if path else page
        if "://" in link:
            continue
        if not target.exists() or (anchor and anchor not in pages.anchors(target.read_text("utf-8"))):
            broken.append(link)
    assert broken == []


def test_every_page_is_in_the_table_of_contents():
    listed = {path.resolve() for path in pages.contents(pages.DOCS / "index.md")}
    assert {path for path in pages.DOCS.rglob("*.md")} - listed == {pages.DOCS / "index.md"}


def test_a_broken_link_is_found():
    text = "# A `b` c\n[x](y.md) ![z](p.svg)\n```py\n# D\n[no](no)\n```\n## A b c\n"
    assert pages.links(text) == ["y.md", "p.svg"]
    assert pages.anchors(text) == {"a-b-c", "a-b-c-1"}


def test_links_of_the_site_begin_at_its_root():
    text = pages.for_site(pages.DOCS / "project" / "contributing.md")
    assert "](/architecture.md)" in text
    assert re.findall(r"\]\((?!/|http|#)", text) == []


def test_the_page_on_performance_has_every_environment_variable():
    variable = re.compile(r"TORCHLIKE_[A-Z_]+")
    read = {
        name
        for source in sources("torchlike")
        for name in variable.findall((pages.ROOT / source.path).read_text("utf-8"))
    }
    assert set(variable.findall((pages.DOCS / "performance.md").read_text("utf-8"))) == read


def test_every_namespace_has_its_page():
    spaces = [
        (path.stem, re.findall(r"^\.\. namespace:: (.*)$", path.read_text("utf-8"), re.MULTILINE))
        for path in (pages.DOCS / "reference").glob("*.md")
    ]
    assert sorted(name for _, names in spaces for name in names) == sorted(reference.PAGES)


@pytest.mark.parametrize("space", [space for page, more in reference.PAGES.items() for space in (page, *more)])
def test_the_reference_has_the_names_of_a_namespace(space):
    listed = reference.names(space)
    assert listed
    if space in ("torchlike.jax", "torchlike.aot"):
        return
    theirs = _pytorchs(space.replace("torchlike", "torch", 1))
    unknown = [each.path for each in listed if not hasattr(theirs, each.name)]
    assert set(unknown) <= OWN, "neither PyTorch's nor listed above: tools/reference.py, INTERNAL"


def _pytorchs(space):
    try:
        return importlib.import_module(space)
    except ModuleNotFoundError:
        outer, _, name = space.rpartition(".")
        return operator.attrgetter(name)(importlib.import_module(outer))


def test_docstrings_become_restructuredtext():
    lines = ["Scale (*, N) by |x| and `a*b` in `add_`s, see name_.", "", ">>> x * 2", "4"]
    expected = ["Scale (\\*, N) by \\|x\\| and ``a*b`` in ``add_``\\ s, see name\\_.", "", ">>> x * 2", "4"]
    assert reference.as_rst(lines) == expected


def test_formulas_of_docstrings_stay_as_they_are():
    formula = [".. math::", "", r"   p_{t+1} = |p_t| * \eta_\delta", ""]
    assert reference.as_rst([*formula, "The *rate* :math:`\\eta_t`."]) == [*formula, "The \\*rate\\* :math:`\\eta_t`."]
