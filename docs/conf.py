"""Sphinx's configuration of the site: `sphinx-build -W -n --keep-going -b html docs build/site`."""

from __future__ import annotations

import sys
from pathlib import Path

from docutils.parsers.rst import Directive
from docutils.statemachine import StringList
from sphinx.util.parsing import nested_parse_to_nodes

sys.path.insert(0, str(Path(__file__).parents[1]))

import torchlike
from tools import pages, reference
from torchlike.distributions.utils import lazy_property

project = "torchlike"
copyright = "the authors of torchlike"
version = release = torchlike.__version__.partition("torchlike.")[2]

extensions = [
    "myst_parser",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "sphinx.ext.napoleon",
    "sphinxcontrib.mermaid",
]
html_theme = "furo"
html_title = f"torchlike {version}"
html_show_sourcelink = False

# Markdown: the anchors of headings are those that GitHub makes.
myst_heading_anchors = 4
myst_fence_as_directive = ["mermaid"]

# Docstrings: Google style, with plain text and single backquotes for code.
default_role = "code"
autosummary_generate = False
autodoc_typehints = "signature"
autodoc_class_signature = "mixed"
napoleon_numpy_docstring = False
napoleon_custom_sections = [("Shape", "notes_style")]
add_module_names = False
toc_object_entries = False

smartquotes = False  # docstrings quote values, such as "mean"

nitpicky = True
# Annotations name internal types, which have no page.
nitpick_ignore_regex = [("py:.*", ".*")]
exclude_patterns = ["coverage.json"]
linkcheck_timeout = 20
linkcheck_retries = 2


class Namespace(Directive):
    """Documents all names of a namespace: a table of summaries, followed by one entry for each name."""

    required_arguments = 1

    def run(self) -> list:
        lines = StringList(reference.text(self.arguments[0]).splitlines(), source=self.arguments[0])
        return nested_parse_to_nodes(self.state, lines, offset=self.content_offset, allow_section_headings=True)


def _as_on_site(app, docname: str, source: list[str]) -> None:
    """Make the links of a page relative to docs/, and give the pages in docs/project the texts that they stand for."""
    source[0] = pages.for_site(Path(app.env.doc2path(docname)))


def _leave_out(app, what, name, obj, skip, options) -> bool | None:
    return True if isinstance(obj, lazy_property) else None  # autodoc takes it for a method


def _as_rst(app, what, name, obj, options, lines) -> None:
    """Rewrite a docstring's lines: escape what plain text has and reStructuredText would interpret."""
    lines[:] = reference.as_rst(lines)


def setup(app) -> dict[str, bool]:
    app.add_directive("namespace", Namespace)
    app.connect("source-read", _as_on_site)
    app.connect("autodoc-skip-member", _leave_out)
    app.connect("autodoc-process-docstring", _as_rst, priority=100)  # before napoleon
    return {"parallel_read_safe": True, "parallel_write_safe": True}
