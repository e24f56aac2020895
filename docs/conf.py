"""How Sphinx builds the documentation: ``make docs``."""

from __future__ import annotations

import sys
from pathlib import Path

import dalenius
from dalenius.reconstruction.attack import attack, guesses
from dalenius.reconstruction.attack.simulated import Shift

sys.path.insert(0, str(Path(__file__).parent / "_ext"))

project = "dalenius"
author = "The dalenius developers"
release = dalenius.__version__
extensions = ["commands", "gallery", "myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
html_theme = "furo"
exclude_patterns = ["_build"]
suppress_warnings = ["myst.xref_missing"]  # links from README to files that are not pages
autodoc_typehints = "description"

# imported there for types alone: without it their signatures cannot be read
attack.Shift = guesses.Shift = Shift
