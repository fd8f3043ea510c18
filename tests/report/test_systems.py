"""Names of chips, identities of systems, digits, letters: the small parts of a page."""

import pytest
from msgspec.structs import replace

from benchdb.metric_kinds import unit_of
from benchdb.report.exclusions import Flagged
from benchdb.report.quantities import as_printed
from benchdb.report.references import Notes, Subject
from benchdb.report.systems import party, resolve
from benchdb.report.view.atoms import System
from benchdb.report.workloads import workload_of
from benchdb.store.places import Place, chip_at_work, tidy

M1_MAX = System(
    key="",
    chip="M1 Max",
    device="metal",
    framework="tensorflow",
    measured=False,
    here=False,
    model="MacBook Pro",
    ram_bytes=64,
)
UNSAID = replace(M1_MAX, model=None, ram_bytes=None)
STUDIO = replace(M1_MAX, model="Mac Studio", ram_bytes=32)
PLACE = Place(
    machine="m",
    source=None,
    vendor="AMD",
    chip="AMD Ryzen 5 5600X 6-Core Processor",
    accelerator="NVIDIA GeForce RTX 3090",
    model=None,
    ram_bytes=None,
    anonymous_id="me",
    device="cuda",
    device_name=None,
    measured=True,
)


@pytest.mark.parametrize(
    ("name", "short"),
    [
        ("NVIDIA GeForce RTX 3090", "GeForce RTX 3090"),
        ("NVIDIA H200", "H200"),
        ("Apple M1 Max", "M1 Max"),
        ("M1 Max 32c", "M1 Max"),
        ("Intel(R) Core(TM) i7-8700B CPU @ 3.20GHz", "Core i7-8700B"),
        ("Intel(R) Xeon(R) Platinum 8480C", "Xeon Platinum 8480C"),
        ("AMD Ryzen 5 5600X 6-Core Processor", "Ryzen 5 5600X"),
        ("13th Gen Intel(R) Core(TM) i9-13900K", "Core i9-13900K"),
        ("Apple", "Apple"),
        ("Apple M1 Pro 8P+2E+16GPU", "M1 Pro"),
        ("M4 Max 12P+4E", "M4 Max"),
    ],
)
def test_chips_are_called_what_people_call_them(name, short):
    assert tidy(name) == short


@pytest.mark.parametrize(
    ("facts", "chip"),
    [
        ({}, "GeForce RTX 3090"),  # the GPU, where CUDA is
        ({"device": "cpu"}, "Ryzen 5 5600X"),
        # The name that a run gives its device counts most; an address is no name.
        ({"device_name": "NVIDIA H200"}, "H200"),
        *(
            ({"device_name": address}, "GeForce RTX 3090")
            for address in ("mps", "cuda:0", "cpu", "GPU")
        ),
    ],
)
def test_the_chip_at_work_follows_from_the_device(facts, chip):
    assert chip_at_work(replace(PLACE, **facts)) == chip


def test_this_machine_is_known_by_its_anonymous_identity():
    assert party(PLACE, "torch", "me").here
    assert not party(PLACE, "torch", "you").here
    assert not party(replace(PLACE, anonymous_id=None), "torch", None).here


def test_a_machine_of_which_little_is_said_joins_its_only_twin():
    systems = resolve([M1_MAX, UNSAID])

    assert systems[UNSAID] == systems[M1_MAX]
    assert systems[UNSAID].model == "MacBook Pro"


def test_it_stays_alone_where_it_has_two_twins():
    systems = resolve([M1_MAX, STUDIO, UNSAID])

    assert len(set(systems.values())) == 3


def test_machines_with_different_ram_stay_apart_with_different_keys():
    systems = resolve([M1_MAX, STUDIO])

    assert systems[STUDIO].key == "m1-max-metal-tensorflow-1"
    assert systems[M1_MAX].key == "m1-max-metal-tensorflow-2"


def test_keys_do_not_depend_on_the_order():
    assert resolve([M1_MAX, STUDIO, UNSAID]) == resolve([UNSAID, STUDIO, M1_MAX])


def test_what_we_measured_is_no_published_system():
    mine = replace(M1_MAX, measured=True, here=True)

    systems = resolve([M1_MAX, mine])

    assert systems[mine].key == "m1-max-metal-tensorflow-here"
    assert systems[M1_MAX].key == "m1-max-metal-tensorflow"


@pytest.mark.parametrize(
    ("printed", "value", "shown"),
    [
        ("1:31,80 total", 91.8, "91.80"),
        ("1:09:25.48 total", 4165.48, "4165.48"),
        ("49,707 total", 49.707, "49.707"),
        ("140 img/sec", 140.0, "140"),
        ("20.90W", 20.9, "20.90"),
        ("1,100 img/s", 1100.0, "1100"),
        ("21 GB", 22548578304.0, "22548578304"),
        ("(10 epochs) in only 21 minutes", 28.57, None),
        ("2 min", 120.5, None),
        (None, 3.0, None),
    ],
)
def test_the_digits_of_a_source_are_kept_with_a_point(printed, value, shown):
    assert as_printed(printed, value, derived=False) == shown


def test_a_computed_value_was_never_printed():
    assert as_printed("10", 10.0, derived=True) is None


def test_units_count_what_a_workload_s_samples_are():
    assert unit_of("samples_per_second", "resnet50") == "img/s"
    assert unit_of("fit_samples_per_second", "lstm") == "seq/s"
    assert unit_of("samples_per_second", "something else") == "sample/s"
    assert unit_of("teraflops", "matmul") == "TFLOPS"


def test_an_unknown_workload_keeps_its_name_and_ranks_nowhere():
    workload = workload_of("llama")

    assert (workload.title, workload.kind) == ("llama", "operation")


def subject(workload: str, batch_size: int = 64) -> Subject:
    return Subject("s", "M1", "cpu", workload, batch_size)


def test_the_same_flag_on_several_workloads_is_one_note_about_the_chip():
    flag = Flagged("order-inverted", None, {"longer": "a", "shorter": "b"})
    subjects = {"1": subject("a"), "2": subject("b")}
    notes = Notes({"1": [flag], "2": [flag]}, subjects)

    letters = notes.on(["1"], "x"), notes.on(["2"], "x")

    (note,) = notes.rows()
    assert letters == (("a",), ("a",))
    assert note.runs == ("1", "2")
    assert (note.subject["chip"], note.subject["workload"]) == ("M1", None)


def test_other_facts_are_another_note():
    flags = {n: [Flagged("outlier", None, {"seconds": n})] for n in ("1", "2")}
    notes = Notes(flags, {"1": subject("a"), "2": subject("a")})

    assert notes.on(["2", "1"], "x") == ("a", "b")
    assert [note.detail["seconds"] for note in notes.rows()] == ["2", "1"]


def test_after_z_come_double_letters():
    flags = {str(n): [Flagged("outlier", None, {"n": n})] for n in range(28)}
    notes = Notes(flags, {run: subject("a") for run in flags})

    notes.on(flags, "x")

    assert [note.key for note in notes.rows()][24:] == ["y", "z", "aa", "ab"]
