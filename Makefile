# Everything a fresh machine with python3.11 (to 3.14), git and make needs; `make` lists it.
PYTHON ?= $(or $(shell command -v python3.11),$(shell command -v python3))
VENV := .venv
BIN := $(VENV)/bin

# Tests run side by side: one thread each is faster than all of them fighting for the cores.
# Compiled modules are kept: many tests start an interpreter of their own.
ONE_THREAD := PYTHONDONTWRITEBYTECODE= OMP_NUM_THREADS=1 OPENBLAS_NUM_THREADS=1 MKL_NUM_THREADS=1 NUMBA_NUM_THREADS=1

.PHONY: help demo test test-all ci packages chromium browser pytest lint lint-and-docs coverage bench docs package clean
.DEFAULT_GOAL := help

help:
	@echo "make demo      set up, audit a real survey, print the verdict, write dalenius-demo/report.html"
	@echo "make test      set up, then lint, types, contracts and the tests"
	@echo "make test-all  the tests, and those that say the same at greater length"
	@echo "make ci        the same and the documentation, side by side where one core does"
	@echo "make browser   a Chromium for the tests of reports, where none is there and one may be installed"
	@echo "make lint      lint, types and contracts alone"
	@echo "make coverage  all of them, counting the lines that run; fails below the limit in pyproject.toml"
	@echo "make bench     measure against the peers, in the same run"
	@echo "make docs      build the documentation into docs/_build"
	@echo "make package   build wheel and sdist into dist, check both, run the wheel in an environment of its own"
	@echo "make clean     remove everything that was built, and the environment"

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# A stamp for each extra, also of several at once: installed again only when pyproject.toml changes. Of the packages
# most modules are never imported: those that are get compiled then. uv finds and unpacks packages side by side, in a
# fifth of the time; where pip is told of an index of one's own, or there is no uv to be had, pip does the same.
COMMA := ,
PIP := $(BIN)/python -m pip --quiet --disable-pip-version-check
$(VENV)/installed-%: pyproject.toml | $(BIN)/python
	@$(PIP) config list | grep -q '[.]index-url\|[.]no-index' || test -x $(BIN)/uv || $(PIP) install uv || true
	@{ test -x $(BIN)/uv && $(BIN)/uv pip install --quiet --native-tls --python $(BIN)/python --editable '.[$*]'; } \
	    || $(PIP) install --no-compile --editable '.[$*]'
	@touch $@ $(addprefix $(VENV)/installed-,$(subst $(COMMA), ,$*))

demo: $(VENV)/installed-demo
	$(BIN)/dalenius demo

lint: $(VENV)/installed-test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# Reports are opened in the machine's Chromium, or else in Playwright's; without one those tests are skipped and say so.
HAS_CHROMIUM := command -v chromium chromium-browser google-chrome > /dev/null
chromium:
	@$(HAS_CHROMIUM) || { test "$$(id -u)" = 0 && command -v apt-get > /dev/null \
	     && { apt-get update && apt-get install --yes chromium; } > /dev/null 2>&1; } || true

browser: $(VENV)/installed-test chromium
	@$(HAS_CHROMIUM) || timeout 300 $(BIN)/playwright install chromium > /dev/null 2>&1 || true

PYTEST := $(ONE_THREAD) $(BIN)/pytest -n 2 --dist worksteal

test: lint browser
	$(PYTEST)

# Also what is marked slow: more rows, people or repetitions of something that a faster test says (conftest.py);
# and more examples of what holds for all.
test-all: browser
	$(PYTEST) -m '' --hypothesis-profile=thorough

# No core waits for another: a browser is fetched beside the packages; types and contracts are checked while the first
# worker collects the tests (conftest.py), and pages are built after that, when all modules they import are compiled.
ci:
	@$(MAKE) --jobs=2 packages chromium
	$(MAKE) --jobs=2 pytest lint-and-docs

lint-and-docs: lint
	@$(MAKE) docs

packages:
	@test -e $(VENV)/installed-test || $(MAKE) '$(VENV)/installed-test$(COMMA)docs'
	@$(MAKE) $(VENV)/installed-test $(VENV)/installed-docs

pytest: browser
	$(PYTEST)

# Slower than `make test`, so apart from it; processes that the tests start are counted too.
coverage: $(VENV)/installed-coverage
	$(ONE_THREAD) $(BIN)/coverage run -m pytest -n 2 -m '' --hypothesis-profile=thorough
	$(BIN)/coverage combine --quiet
	$(BIN)/coverage report

bench: $(VENV)/installed-test
	$(BIN)/python -m benchmarks

docs: $(VENV)/installed-docs
	$(BIN)/sphinx-build -W --quiet -b html docs docs/_build/html

package: $(VENV)/installed-package
	rm -rf dist build/wheel-check
	$(BIN)/python -m build
	$(BIN)/twine check --strict dist/*
	$(PYTHON) -m venv build/wheel-check
	build/wheel-check/bin/python -m pip install --quiet --disable-pip-version-check "$$(ls dist/*.whl)[demo]"
	cd build && wheel-check/bin/dalenius demo --out wheel-check/demo > /dev/null

clean:
	rm -rf $(VENV) dalenius-demo .coverage .coverage.* docs/_build build dist .mypy_cache .ruff_cache .pytest_cache .hypothesis .import_linter_cache
