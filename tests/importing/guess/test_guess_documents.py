"""Maps proposed for documents as people publish them, nobody having explained them."""

from tests.documents import Mapped, each
from tests.importing.guess.guessed import meanings, of_file, records


@each("throughput")
def test_tables_of_throughput_power_and_memory_are_understood(mapped: Mapped):
    proposal = of_file(mapped.path)

    soc = {
        "Model": "workload",
        "GPU": "machine",
        "BatchSize": "parameters.batch_size",
        "Throughput": "reported_samples_per_second",
        "Peak Power": "peak_power_watts",
        "Memory": "peak_memory_observed_bytes",
    }
    by_size = {len(table.columns): table for table in proposal.map.table}
    assert meanings(by_size[6]) == soc
    assert meanings(by_size[7]) == {**soc, "Peak Power GPU": "peak_gpu_power_watts"}
    assert meanings(by_size[5])["Power"] == "peak_power_watts"
    assert proposal.undecided == ()


@each("throughput")
def test_a_number_in_a_column_of_gpus_is_written_out_as_a_machine(mapped: Mapped):
    number = "4090" if mapped.is_ours else "3090"
    machine = of_file(mapped.path).map.machines[f"geforce-rtx-{number}"]

    assert machine.match == (number,)
    assert machine.chip.accelerators[0].name == f"GeForce RTX {number}"


@each("throughput")
def test_every_figure_of_such_tables_is_read_with_the_proposed_map(mapped: Mapped):
    runs = records(of_file(mapped.path), mapped.path)

    assert len(runs) == (9 if mapped.is_ours else 18)
    assert {record.run.framework for record in runs} == {"tensorflow"}
    assert {record.run.device for record in runs} == {"metal", "cuda"}


@each("script-times")
def test_a_table_with_a_column_for_each_script_is_understood(mapped: Mapped):
    proposal = of_file(mapped.path)

    (table,) = proposal.map.table
    times = (
        "script_user_seconds,script_system_seconds,script_cpu_percent,"
        "script_wall_seconds"
    )
    assert meanings(table) == {
        "Rechner": "model",
        "RAM": "ram",
        "CPU/GPU": "chip",
        "lstm.py": times,
        "mnist.py": times,
        "resnet50": times,
        **({} if mapped.is_ours else {"mobilenetv2": times, "distilbert": times}),
        "Metal": "device",
    }
    assert table.columns["Metal"].values == {"ja": "metal", "nein": "cpu"}
    assert table.columns["resnet50"].set["workload"] == "resnet50"
    assert proposal.undecided == ()


@each("script-times")
def test_the_system_is_taken_from_the_sentence_that_tells_it(mapped: Mapped):
    runs = records(of_file(mapped.path), mapped.path)

    count, system = (12, "13.4") if mapped.is_ours else (45, "12.01")
    assert len(runs) == count
    assert {record.environment.os_version for record in runs} == {system}


@each("epochs")
def test_the_ratios_of_a_table_are_claims(mapped: Mapped):
    (table,) = of_file(mapped.path).map.table

    assert meanings(table) == {"Model": "workload", "Speed Up": "ratio"}


@each("assertions", "prose")
def test_prose_without_a_table_leaves_everything_undecided(mapped: Mapped):
    proposal = of_file(mapped.path)

    assert proposal.map.table == ()
    assert proposal.undecided == ("no table with figures was found",)


@each("throughput")
def test_the_table_that_asks_for_more_columns_comes_first(mapped: Mapped):
    columns = [len(table.columns) for table in of_file(mapped.path).map.table]

    assert columns == [7, 6, 5]
