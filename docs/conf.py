"""The site: `pip install '.[docs]' && sphinx-build -W --keep-going -n -c docs . site` from the top of the repository.

The top is the source directory, so that links between the documents, the notebooks and the files beside them are the same here and in
the repository.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parent))
os.environ["ASCENDTENSOR_BACKEND"] = "simulator"
os.environ.setdefault("COLUMNS", "100")  # of the help of commands

import make_reference
from docutils import nodes
from sphinx.addnodes import pending_xref
from sphinx.ext.napoleon import Config, GoogleDocstring

import ascendtensor

project = "AscendTensor"
author = "The AscendTensor project"
copyright = author
release = version = ascendtensor.__version__

extensions = ["myst_nb", "sphinx.ext.autodoc", "sphinx_copybutton", "sphinx_design"]
NAPOLEON = Config(napoleon_use_rtype=False)
root_doc = "docs/index"
include_patterns = ["docs/*.md", "docs/reference/*.rst", "notebooks/*.ipynb", "CONTRIBUTING.md", "CHANGELOG.md", "README.md"]
exclude_patterns = ["**/.ipynb_checkpoints"]
nitpicky = True
smartquotes = False

myst_enable_extensions = ["colon_fence", "html_image"]
myst_heading_anchors = 4
nb_execution_mode = "cache"
nb_execution_timeout = 120
nb_execution_raise_on_error = True
nb_merge_streams = True

autodoc_member_order = "bysource"
autodoc_typehints = "signature"
add_module_names = False
python_maximum_signature_line_length = 100
python_use_unqualified_type_names = True

html_theme = "furo"
html_title = "AscendTensor"
html_static_path = ["static"]
html_css_files = ["site.css"]
html_copy_source = False
html_show_sphinx = False
html_additional_pages = {"index": "to_start.html"}
templates_path = ["templates"]
copybutton_prompt_text = r">>> |\.\.\. |\$ "
copybutton_prompt_is_regexp = True
pygments_style = "friendly"
pygments_dark_style = "monokai"


def docstring(app: Any, what: str, name: str, obj: object, options: object, lines: list[str]) -> None:
    """Docstrings made into reStructuredText. Napoleon would take a colon in a property's for the end of its type."""
    kind = "method" if what in ("property", "attribute") else what
    google = GoogleDocstring(make_reference.docstring(lines, obj), NAPOLEON, app, kind, name, obj, options)
    lines[:] = google.lines()


def tensor_class(app: Any, doctree: Any) -> None:
    """In signatures the tensor class, not the variable that stands for it."""
    for node in doctree.findall(pending_xref):
        written = node["reftarget"].rpartition(".")[2] if (node.get("refdomain"), node.get("reftype")) == ("py", "class") else ""
        if written in ("T", "N", "Self", "TensorBase", "NPUTensor"):
            node["reftarget"] = "ascendtensor.NPUTensor"
            for text in list(node.findall(nodes.Text)):
                text.parent.replace(text, nodes.Text("Tensor"))


def reference(app: Any, env: Any, node: Any, contnode: Any) -> Any:
    """A name of the package that was written without its module; types of others stay text."""
    if node.get("refdomain") != "py":
        return None
    found = make_reference.paths().get(node["reftarget"].rpartition(".")[2])
    if found:
        domain = env.get_domain("py")
        return domain.resolve_xref(env, node["refdoc"], app.builder, "obj", found, node, contnode)
    return contnode if node["reftype"] in ("class", "exc", "data") else None


def setup(app: Any) -> None:
    make_reference.write(Path(app.confdir) / "reference")
    app.connect("autodoc-process-docstring", docstring)
    app.connect("doctree-read", tensor_class)
    app.connect("missing-reference", reference)
