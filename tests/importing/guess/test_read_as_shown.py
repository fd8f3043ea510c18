"""What a card shows of running text is what its map reads."""

from benchdb.importing.document import Document
from benchdb.importing.guess.draft import propose
from benchdb.importing.sheets import readable
from tests.importing.guess.guessed import records

CONSOLE = """\
go test -benchtime=10s -count=5 -run=nada -bench . -nctx=32000 -device="rocm0"
goos: linux
goarch: amd64
pkg: sums
cpu: AMD EPYC 7443P 24-Core Processor
BenchmarkSum-48    	     194	  60798061 ns/op	       493.4 tokens/s
BenchmarkSum-48    	     196	  60271732 ns/op	       497.7 tokens/s
PASS
"""


def test_a_setting_below_a_line_of_another_habit_is_read_with_the_rows():
    text = f"# Sums\n\n```\n{CONSOLE}```\n"
    document = Document("sums.md", text.encode())

    proposal = propose(document, readable(document))

    rates = [
        value.value
        for record in records(proposal, text)
        for value in record.end.values
        if value.metric == "tokens_per_second"
    ]
    assert rates
