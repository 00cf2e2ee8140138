# Two commands:  make book  (read and run)   make test  (check everything)
# Every target sets itself up first; the set-up is redone only when the requirements change.

PYTHON ?= python3
RUN := .venv/bin/python
.DEFAULT_GOAL := help
.PHONY: help setup book site test test-matrix test-shuffle chapter notebooks preview lint bench bench-live bench-widgets clean

help:
	@echo "make book        build the book, start it on 127.0.0.1 and print its address (PORT=9000 names a port)"
	@echo "make test        run every check (finds or installs a browser)"
	@echo "make setup       create .venv and install the pinned requirements"
	@echo "make site        build the site into _build/html"
	@echo "make chapter CHAPTER=supervised/linear_regression    execute one notebook in place"
	@echo "make notebooks   execute all notebooks, two at a time"
	@echo "make preview CHAPTER=...    build one chapter alone into _build/preview"
	@echo "make lint        style and spelling only"
	@echo "make bench       speed, memory and agreement beside scikit-learn, scipy and torch"
	@echo "make test-matrix            tests and notebooks on the oldest and newest packages and on other Pythons"
	@echo "make test-shuffle           all notebooks three times in random order"
	@echo "make bench-widgets          speed and size of the interactive figures"
	@echo "make bench-live             a class of 1 to 12 students on this machine"
	@echo "make clean       remove .venv and everything built"

setup:
	@command -v $(PYTHON) >/dev/null 2>&1 || { echo "error: $(PYTHON) was not found; install Python 3.11 or newer, or name yours: make PYTHON=python3.12 $@"; exit 1; }
	@$(PYTHON) tools/setup.py

book: site
	@$(RUN) -m mlcore.live $(if $(PORT),--port $(PORT))

site: setup
	@$(RUN) tools/site.py

test: setup
	@$(RUN) tools/check.py

lint: setup
	@$(RUN) tools/check.py style

chapter: setup
	@$(RUN) tools/notebook.py run $(CHAPTER)

notebooks: setup
	@$(RUN) tools/notebook.py run --all

preview: setup
	@$(RUN) tools/site.py --preview "$(CHAPTER)" --out _build/preview

bench: setup
	@$(RUN) -m tools.bench

test-matrix: setup
	@$(RUN) tools/matrix.py

test-shuffle: setup
	@$(RUN) tools/matrix.py --shuffle 3

bench-live: site
	@$(RUN) tools/bench_live.py

bench-widgets: site
	@$(RUN) tools/bench_widgets.py

clean:
	rm -rf .venv _build .pytest_cache .ruff_cache .hypothesis *.egg-info
