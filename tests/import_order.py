"""Every module of benchdb in its place: it imports only from those below it."""

# From top to bottom. A module without a place here fails, and so does one that is gone.
ORDER = """
__main__
cli.report cli.collect cli.plan cli.import_files cli.export cli.list_runs cli.show
cli.machine cli.workloads cli.doctor cli.quarantine cli.machines cli.db
cli.sources cli.forget
cli.resume cli.reporting
cli.measuring cli.dry_run
cli.asking
cli.progress
cli.collect_options cli.plan_options cli.report_options
cli.options
cli
cli.as_json cli.guessing cli.provenance cli.checking cli.explaining cli.gathering
cli.upgrading
cli.ending
cli.counts cli.plain cli.standard_output

report.write
report.site
report.html
report.sealed report.slim
report.markdown.page
report.templates
report.markdown.rows
report.markdown.efficiency report.markdown.batches report.markdown.scaling
report.markdown.sweep report.markdown.normal
report.markdown.cells
report.markdown.tables
report.markdown.escape
report.markdown
report.likeness report.per_run
report.csv_rows report.json_view report.database_file report.wording.filters
report.figures
report.figures.charts report.figures.plane
report.figures.drawing report.figures.panel
report.figures.legend
report.figures.sheet
report.figures.fonts
report.geometry.plane
report.geometry.naming
report.geometry.frame
report.geometry.labels report.geometry.lettering
report.geometry
report.planes.builders
report.planes.efficiency report.planes.batches report.planes.scaling
report.planes.sweep report.planes.normal
report.planes.doublings
report.planes
report.wording.sentences
report.wording.sections
report.wording.efficiency report.wording.batches report.wording.scaling
report.wording.sweep report.wording.normal
report.wording.answers
report.wording.sources report.wording.room
report.wording.notes
report.wording.doubts
report.wording.facts
report.wording.metrics report.wording.intervals report.wording.grades
report.wording.terms
report.wording
report.language
report.language.direction
report.language.units
report.language.numbers
report.language.choice

report.summary
report.answers
report.sections.efficiency report.sections.batches report.sections.scaling
report.sections.sweep report.sections.normal
report.sections.series report.sections.cores
report.sections.trained
report.sections.products report.sections.peaks report.sections.owners
report.sections.material
report.sections.ranking
report.sections.metal
report.sections.apart
report.sections.distance
report.machines
report.values report.cells report.chance
report.sections.opposed
report.sections.metered
report.sections.powers
report.sections.contenders
report.runs
report.listed
report.quantities
report.notes report.sources
report.sections
report.narrowing
report.room
report.scope
report.selection
report.systems
report.doubts report.places
report.measurement
report.untrusted report.apart
report.view.page
report.view.efficiency report.view.batches report.view.scaling report.view.sweep
report.view.normal report.view.compared report.view.listed
report.view.atoms
report.view
report.chosen
report

collecting.health
collecting.elsewhere
collecting.slurm
collecting.shell
collecting.planned
collecting.items
collecting.campaign
collecting.runner collecting.rescue
collecting.answer
collecting.silence
collecting.unfinished
collecting.estimate
collecting.history
collecting.settings
collecting.plan
collecting.request
collecting.programs
collecting.questions collecting.spoilers
collecting.interruption
collecting

parquet.dataset
parquet.readme parquet.parts parquet.batches parquet.places
parquet
store.flat

store.gathering store.recounted
store.federation
store.derived
merge
store.sources store.forgetting
store.copying store.drift store.identities store.integrity store.plans store.roles

importing.folders importing.intake
importing.plugins
importing.readings

importing.guessing.guess
importing.guessing.tables
importing.guessing.devices importing.guessing.workloads
importing.guessing.hardware importing.guessing.headings importing.guessing.rows
importing.guessing.logs importing.guessing.repeats importing.guessing.sections
importing.guessing.values
importing.guessing.fields importing.guessing.pivots
importing.guessing.facts importing.guessing.metrics
importing.guessing.cells importing.guessing.machines
importing.guessing.overlooked importing.guessing.settings importing.guessing.toml
importing.guessing importing.guessing.words

importing.mapped.reading
importing.mapped.assembling importing.mapped.ratio_claims
importing.mapped.doubts importing.mapped.gathering importing.mapped.maps
importing.mapped.transcription
importing.mapped.faults importing.mapped.observations
importing.mapped.hardware importing.mapped.headings importing.mapped.rows
importing.mapped.meant
importing.mapped.figures importing.mapped.words
importing.mapped.software importing.mapped.time_limit
importing.mapped

importing.formats

importing.tools.llama_bench_tables
importing.tools.asv importing.tools.google_benchmark
importing.tools.llama_bench importing.tools.localscore
importing.tools.anubis importing.tools.apple_llm_bench importing.tools.asv_rows
importing.tools.google_benchmark_rows importing.tools.hyperfine
importing.tools.llama_bench_runs importing.tools.localscore_runs
importing.tools.pyperf importing.tools.pytest_benchmark
importing.tools.mlperf_inference importing.tools.mlperf_training
importing.tools.anubis_columns
importing.tools.outcome importing.tools.processors
importing.tools.facts importing.tools.mllog importing.tools.sql_text
importing.tools.texts
importing.tools.mlperf_descriptions
importing.tools.json_numbers
importing.tools.printed_json importing.tools.sqlite_tables
importing.tools.chip_names importing.tools.llama_bench_device
importing.tools importing.tools.llama_bench_log importing.tools.mlperf_summary

importing.sheets

importing.texts.readers
importing.tables.notebook
importing.tables.markdown
importing.tables.html
importing.tables.grids
importing.tables.csv importing.tables.pipe_tables importing.tables.spans
importing.tables.fitting importing.tables.footnotes
importing.tables.inline importing.tables.pipes
importing.tables importing.tables.blocks importing.tables.code_spans
importing.tables.delimiters importing.tables.emphasis importing.tables.formula
importing.tables.header importing.tables.links importing.tables.notes
importing.tables.outline importing.tables.plain_numbers importing.tables.records
importing.tables.tags

importing.texts.fixed_width
importing.texts.boxes importing.texts.bullets importing.texts.epochs
importing.texts.keras importing.texts.key_value importing.texts.progress
importing.texts.shell_time
importing.texts.rows
importing.texts.chunks importing.texts.named_figures importing.texts.surroundings
importing.texts.layout importing.texts.unit_names
importing.texts.pairs
importing.texts importing.texts.literals importing.texts.markings
importing.texts.terminal importing.texts.time_lines importing.texts.values

importing.mapped.layers importing.mapped.mapping

importing.recognising.recognise
importing.recognising.frameworks
importing.recognising.systems importing.recognising.words
importing.recognising.chips
importing.recognising.sizes
importing.recognising importing.recognising.families

importing.quantities.quantity
importing.quantities.beside
importing.quantities.measures
importing.quantities.terms
importing.quantities.absence importing.quantities.units
importing.quantities.characters importing.quantities.durations
importing.quantities.numerals
importing.quantities importing.quantities.absence_words importing.quantities.amount
importing.quantities.unit_words

importing.building importing.sheet
importing.places
importing.document
importing.about
importing

store.grades
store.apart store.cards
store.batches
store.findings
store.twins
store.supersession
store.copies store.versions
store.hearsay
store.anonymous
store.machines
store.files_read store.quarantined
store.read
store.listing
store.write store.ownership
store.forgotten
store.newest store.contents
store.cells store.dates
store.bulk store.readers
store.rows
store.database
store.revisions
store.trouble store.unlogged
store.postgresql store.sqlite
store.migrate
store.writers
store.flat_columns
store.tables
store.json_text store.pieces
store

plausibility.rules
plausibility.seen plausibility.fingerprint
plausibility.outliers
plausibility.order
plausibility.grid plausibility.processor_share plausibility.peaks plausibility.units
plausibility.doubles plausibility.devices plausibility.systems plausibility.ratios
plausibility.names plausibility.samples plausibility.larger_batches
plausibility.ceilings plausibility.slips plausibility.signs
plausibility.printed plausibility.figures
plausibility.observed
plausibility

exchange.schema
exchange.writer
exchange.reader
exchange.scrutiny
exchange.framing
exchange.record
exchange.said
exchange.packing
exchange.lines
exchange

cell
catalogue
chips
sessions
grading
grading_state
stats
spreads
intervals
student
sorted_json
identity
files
resources
errors
__init__
"""
