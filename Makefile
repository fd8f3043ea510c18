# Two commands: `make demo` does the main job on this machine, `make test` proves it.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
DEMO   ?= demo
SCREENSHOTS ?= demo/screenshots

# Where this is set, each of the programs that tests start would compile all of benchdb.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: demo test lint results catalogues schema goldens screenshots wheel clean

demo: $(VENV)/.demo
	$(BIN)/benchdb collect --suite standard --framework torch --framework numpy --no-metal --no-cuda --tier smoke --db $(DEMO)/results.sqlite || test $$? -eq 1
	$(BIN)/benchdb import published --db $(DEMO)/results.sqlite
	$(BIN)/benchdb report --lang de --format all --highlight here --db $(DEMO)/results.sqlite -o $(DEMO)/report
	@echo "open $(DEMO)/report/report.de.html"

test: $(VENV)/.test lint
	$(BIN)/python -m compileall -q benchdb collectors
	$(BIN)/python -m pytest

lint: $(VENV)/.test
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# The committed database is what the published files say, nothing more.
results: $(VENV)/.demo
	rm -f results.sqlite results.sqlite-wal results.sqlite-shm
	$(BIN)/benchdb import published --db results.sqlite

schema: $(VENV)/.demo
	$(BIN)/python -m benchdb.exchange.schema > schema/exchange.schema.json

# Take new sentences into the template, then into each language. There is nothing to
# compile: benchdb reads the .po files, and tests/test_catalogues.py says what is missing.
catalogues: $(VENV)/.demo
	$(BIN)/pybabel -q extract -F babel.toml --add-comments=TRANSLATORS --no-location \
	  --sort-output --no-wrap --omit-header -o reports/locales/benchdb.pot .
	for language in $(filter-out en benchdb.pot,$(notdir $(wildcard reports/locales/*))); do \
	  $(BIN)/pybabel -q update --previous --no-wrap --no-fuzzy-matching --ignore-obsolete \
	    --ignore-pot-creation-date -D benchdb -i reports/locales/benchdb.pot \
	    -d reports/locales -l $$language; \
	  sed -i.old -E '/^"(Report-Msgid-Bugs-To|PO-Revision-Date|Last-Translator|Language-Team|Generated-By|POT-Creation-Date)/d' \
	    reports/locales/$$language/LC_MESSAGES/benchdb.po; \
	  rm reports/locales/$$language/LC_MESSAGES/benchdb.po.old; done

# The committed reports and digests that tests/test_golden*.py compare with; read what
# has changed. Digests of documents in ../shared are written where that folder is there.
goldens: $(VENV)/.test
	$(BIN)/python -m tests.golden_report
	$(BIN)/python -m tests.golden_records

# The shipped database's page in every language, wide and narrow, light and dark.
screenshots: $(VENV)/.test
	$(BIN)/python -m tests.screenshots $(SCREENSHOTS)

wheel: $(VENV)/.test
	$(BIN)/python -m build --wheel

clean:
	rm -rf $(VENV) $(DEMO) dist

# An old Python's pip compares every file of an index with a thousand tags: half a minute.
$(VENV)/bin/python:
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade -c constraints.txt pip

$(VENV)/.demo: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet -c constraints.txt -e '.[torch]'
	touch $@

# pip would compile 265 MB of source on one core; what is no Python for us is passed over,
# and what hardly anybody imports is compiled where somebody does.
RARE := /(tests?|transformers/models)/
$(VENV)/.test: pyproject.toml constraints.txt | $(VENV)/bin/python
	$(BIN)/python -m pip install --quiet --no-compile -c constraints.txt -e '.[torch,tensorflow,postgres,parquet,dev]'
	$(BIN)/python -W ignore -m compileall -qq -j 0 -x '$(RARE)' $(VENV)/lib || true
	touch $@ $(VENV)/.demo
