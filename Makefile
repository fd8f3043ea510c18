# Two commands: `make demo` does the main job on this machine, `make test` proves it.

PYTHON ?= python3
VENV   ?= .venv
BIN    := $(VENV)/bin
DEMO   ?= demo
SCREENSHOTS ?= demo/screenshots
SECONDS ?= 600
SEED ?= $(shell date +%s)

# Where this is set, each of the programs that tests start would compile all of benchdb.
unexport PYTHONDONTWRITEBYTECODE

# Nobody who types "make" alone wants gigabytes.
.DEFAULT_GOAL := help
.PHONY: help demo test check durations torture lint results facts catalogues schema spreads goldens screenshots docs manual wheel clean
.PHONY: demo-environment test-environment style suite types

help: ## these lines
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "make %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

demo: demo-environment ## a short collection on this CPU, the published results, a German report in demo/report/
	$(BIN)/benchdb collect --suite standard --framework torch --framework numpy --no-metal --no-cuda --tier smoke --db $(DEMO)/results.sqlite || test $$? -eq 1
	$(BIN)/benchdb import published --db $(DEMO)/results.sqlite
	$(BIN)/benchdb report --lang de --format all --highlight here --db $(DEMO)/results.sqlite -o $(DEMO)/report
	@echo "open $(DEMO)/report/report.de.html"

# mypy takes half a minute of one core: tests run on the other meanwhile.
test: style ## what CI runs: ruff, mypy and the whole suite with real parts
	$(BIN)/python -m compileall -q -j 0 benchdb collectors
	@$(MAKE) --no-print-directory -j 2 suite types

suite:
	env -u MAKEFLAGS -u MAKELEVEL $(BIN)/python -m pytest

types:
	$(BIN)/mypy

check: lint ## ruff, mypy and the test files that take less than two seconds: while you work
	$(BIN)/python -m pytest --fast

durations: test-environment ## the whole suite, which writes the seconds of each test file: they decide what is fast
	$(BIN)/python -m pytest --save-durations

torture: test-environment ## attack benchdb for SECONDS=600 with SEED=1, JOBS=1 at once: kills, crowds, full disks, hostile files
	$(BIN)/python -m tools.torture --seconds $(SECONDS) --seed $(SEED) --jobs $(or $(JOBS),1)

lint: style types ## ruff and mypy alone

style: test-environment
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

demo-environment test-environment:
	@MAKE_TARGETS="$(MAKECMDGOALS)" $(PYTHON) -m tools.install $(@:-environment=) $(VENV)

# The committed database is what the published files say, nothing more: what its imports
# brought is left out, so that nobody's first "import --undo" takes back what we ship. A
# home of its own: what was planned here is nobody else's.
results: demo-environment ## results.sqlite, from published/
	rm -f results.sqlite results.sqlite-wal results.sqlite-shm
	$(BIN)/python -m tools.shipped_runs > schema/shipped.json.new
	mv schema/shipped.json.new schema/shipped.json
	BENCHDB_HOME=$$(mktemp -d) $(BIN)/benchdb import published --db results.sqlite
	$(BIN)/python -c "import sqlite3; sqlite3.connect('results.sqlite').executescript('DELETE FROM import_part; VACUUM')"
	$(BIN)/python -m tools.corpus_page results.sqlite > docs/corpus.md
	@$(MAKE) --no-print-directory facts

# They fit until a module changes that makes them; then whoever asks makes them anew.
# Of a new database the file that is written last goes by what is in it, the other by its
# bytes, which nobody else has.
facts: demo-environment ## reports/kept/: what the short report of results.sqlite, and of a new database, shows
	rm -rf reports/kept && mkdir reports/kept
	home=$$(mktemp -d) && export BENCHDB_HOME=$$home && page="report --lang en --format html -o $$home" && $(BIN)/benchdb $$page --db results.sqlite && mv $$home/cache/*.facts reports/kept/ && $(BIN)/benchdb $$page && mv "$$(ls -t $$home/cache/*.facts | head -n 1)" reports/kept/

schema: demo-environment ## the JSON Schema of the exchange format
	$(BIN)/python -m benchdb.exchange.schema > schema/exchange.schema.json

# What classes of work have shown in the published runs, for databases that are young.
spreads: demo-environment ## what classes of work have shown in the published runs
	$(BIN)/python -m tools.seen_spreads > schema/spreads.json.new
	mv schema/spreads.json.new schema/spreads.json

# Take new sentences into the template, then into each language. There is nothing to
# compile: benchdb reads the .po files, and tests/report/language/test_catalogues.py says what is missing.
catalogues: demo-environment ## take new sentences into the catalogues of all languages
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
goldens: test-environment ## the committed reports and digests that tests compare with; read what has changed
	$(BIN)/python -m tests.golden_report
	$(BIN)/python -m tests.golden_cells
	$(BIN)/python -m tests.golden_records
	$(BIN)/python -m tests.golden_documents

screenshots: test-environment ## the page in every language, wide and narrow, light and dark
	$(BIN)/python -m tests.screenshots $(SCREENSHOTS)

# The documentation as a site, in dist/docs, with the site of the shipped results inside.
docs: test-environment ## the documentation as a site in dist/docs
	$(BIN)/python -m mkdocs build --strict
	$(BIN)/benchdb report --site dist/docs/results --lang en --db results.sqlite

manual: test-environment ## the manual page and the licences of dependencies, from what is installed
	$(BIN)/python -m tools.manual_page > packaging/benchdb.1.new
	mv packaging/benchdb.1.new packaging/benchdb.1
	$(BIN)/python -m tools.licences > docs/licences.md.new
	mv docs/licences.md.new docs/licences.md

wheel: test-environment ## a wheel in dist/
	$(BIN)/python -m build --wheel

clean: ## remove the environment, the demo and dist/
	rm -rf $(VENV) $(DEMO) dist
