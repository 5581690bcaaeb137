# make run: the dashboard. make test: the tests of a change. make test-all: with those that take long: every page and family,
# kills, clusters. make quick: those that take no page and no whole corpus.
# make test-cuda: a GPU gives what the CPU gives.
# make golden: the tables anew that tests/test_golden.py compares with, where a change of theirs is meant.
# make samples RUNS="RUN0 RUN1": the studies that come with the project anew, of trainings by docs/pretrain.py too.
# make fuzz: the property tests alone, 1,000 fresh texts each (make test: 20, .ci/run: 40, the same every time).
# make check: lint and types.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin

# What a process imports is compiled once, and not again by each of the many that the tests start.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run test test-all test-cuda quick golden samples fuzz check format clean

run: $(VENV)/.run
	$(BIN)/python -m streamlit run dashboard.py

# A module's tests stay in one worker, so that its models start once; those of all modules in the browser stay in one, with one
# server and one browser (tests/conftest.py). The order is that of the folders: the browser's take longest, and what begins
# last keeps one worker busy alone.
TEST = $(BIN)/python -m pytest -n auto --dist loadfile --no-loadscope-reorder
test: $(VENV)/.dev
	$(TEST) -m "not long"

test-all: $(VENV)/.dev
	$(TEST)
	$(BIN)/python -m tests.mutants

test-cuda: $(VENV)/.dev
	CUDA_VISIBLE_DEVICES=0 $(BIN)/python -m pytest tests/models/test_cuda.py

quick: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto --dist loadfile -m "not slow and not long"

golden: $(VENV)/.dev
	$(BIN)/python -m tests.golden

samples: $(VENV)/.dev
	$(BIN)/python -m tests.samples $(RUNS)

fuzz: $(VENV)/.dev
	$(BIN)/python -m pytest -n auto -m hypothesis --hypothesis-profile fuzz --timeout 0

check: $(VENV)/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

format: $(VENV)/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

clean:
	rm -rf $(VENV)

$(BIN)/python:
	@$(PYTHON) -c 'import sys; sys.exit(not (3, 11) <= sys.version_info < (3, 14))' || \
		{ echo 'Python 3.11 to 3.13 is needed; name yours: make run PYTHON=python3.11'; exit 1; }
	$(PYTHON) -m venv $(VENV)

$(VENV)/.run: requirements.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet $(PIP_FLAGS) -r requirements.txt
	touch $@

$(VENV)/.dev: requirements-dev.txt requirements.txt | $(BIN)/python
	$(BIN)/python -m pip install --quiet $(PIP_FLAGS) -r requirements-dev.txt
	touch $@
