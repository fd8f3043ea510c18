"""What Keras's fit is given is what the source gave to it, and its clock is kept."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any
from unittest.mock import patch

import numpy as np
import pytest
from harness.cells import Cell, SeedPlan
from training_data.source_arrays import SourceArrays, sequences

from tests.collectors.counting_work import follow
from tests.collectors.tensorflow_cells import cell_of, started, tensorflow


class Course:
    """Notes what it is told; it is over after so many steps in all, if any."""

    def __init__(self, most: int = 10**9) -> None:
        self.told: list[Any] = []
        self.over, self.most, self.steps = False, most, 0

    def begin(self, phase: str) -> None:
        self.told.append(phase)

    def reached(self, steps: int) -> bool:
        self.steps = steps
        self.over = steps >= self.most
        return self.over

    def end(self) -> None:
        self.told.append(self.steps)
        self.steps = 0


def spy_of_keras() -> Any:
    """Return a callback of the test's own: what Keras really did."""

    class Spy(tensorflow().keras.callbacks.Callback):  # type: ignore[misc]
        def __init__(self) -> None:
            super().__init__()
            self.epochs: list[int] = []
            self.judged = 0

        def on_epoch_begin(self, epoch: int, logs: Any = None) -> None:
            self.epochs.append(0)

        def on_train_batch_end(self, batch: int, logs: Any = None) -> None:
            self.epochs[-1] += 1

        def on_test_batch_end(self, batch: int, logs: Any = None) -> None:
            self.judged += 1

    return Spy()


@contextmanager
def spied(work: Any) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
    """Give what Keras did in its real ``fit``, and what each call was given."""
    spy, calls, fit = spy_of_keras(), list[dict[str, Any]](), work.model.fit

    def seen(*args: Any, **given: Any) -> Any:
        calls.append(given | ({"x": args[0]} if args else {}))
        own = [*given.pop("callbacks", []), spy]
        return fit(*args, callbacks=own, **given)

    with patch.object(work.model, "fit", seen):
        yield spy, calls


def of(workload: str, batch_size: int, **changes: Any) -> tuple[Cell, SeedPlan]:
    cell = cell_of(workload, batch_size=batch_size)
    assert cell.seed_plan is not None
    return cell, replace(cell.seed_plan, **changes)


def test_mnist_is_fit_on_float64_arrays_of_the_host_epoch_by_epoch():
    cell, plan = of("mnist", 4, epochs=3, steps_per_epoch=5)
    work, course = started(cell), Course()

    with spied(work) as (spy, calls):
        work.fit(plan, course)

    (given,) = calls
    assert (type(given["x"]), given["x"].dtype) == (np.ndarray, np.float64)
    assert (given["x"].shape, given["batch_size"]) == ((20, 28, 28), 4)
    assert given["x"].min() >= 0
    assert given["x"].max() <= 1
    assert given.get("shuffle", True)
    assert (given["epochs"], given["verbose"]) == (3, 1)
    assert spy.epochs == [5, 5, 5]
    assert course.told == ["seed", 5, 5, 5]


def test_the_cnn_of_mnist_is_fed_by_tf_data_and_judged_after_each_epoch():
    cell, plan = of("mnist-cnn", 4, epochs=2, steps_per_epoch=3)
    plan = replace(plan, samples=10, validation_samples=6)
    work, course = started(cell), Course()

    with spied(work) as (spy, calls):
        work.fit(plan, course)

    first, _, last = [len(labels) for _, labels in calls[0]["x"]]
    assert (first, last) == (4, 2)
    assert [len(labels) for _, labels in calls[0]["validation_data"]] == [4, 2]
    assert (spy.epochs, spy.judged) == ([3, 3], 2 * 2)
    assert course.told == ["seed", 3, 3]


def test_a_warm_up_is_a_fit_of_its_own_on_an_example_repeated():
    cell = cell_of("mnist", batch_size=4)
    repeated = SeedPlan("fit", 1, 3, 5, data_path="repeated")
    work, course = started(cell), Course()

    with spied(work) as (spy, calls):
        work.fit(repeated, course)

    assert [(call["epochs"], call["verbose"]) for call in calls] == [(1, 1), (3, 2)]
    rows = calls[0]["x"].numpy()
    assert "CPU" in calls[0]["x"].device
    assert (len(rows), len(np.unique(rows, axis=0))) == (20, 1)
    assert spy.epochs == [5, 5, 5, 5]
    assert course.told == ["warmup", 5, "seed", 5, 5, 5]


def test_keras_stops_where_the_time_is_up():
    cell, plan = of("mnist", 4, epochs=3, steps_per_epoch=50)
    work, course = started(cell), Course(most=7)

    with spied(work) as (spy, _):
        work.fit(plan, course)

    # Keras does not wait for what a callback says after each batch.
    assert len(spy.epochs) == 1
    assert 7 <= spy.epochs[0] < 50


@pytest.mark.parametrize(
    ("compiler", "eager", "xla"), [("graph", 0, 0), ("eager", 1, 0), ("xla", 0, 1)]
)
def test_fit_is_compiled_as_the_cell_is(compiler, eager, xla):
    cell = cell_of("mnist", batch_size=4, compiler=compiler)
    work = started(cell)

    work.fit(SeedPlan("fit", 0, 1, 1, data_path="images"), Course())

    assert (work.model.run_eagerly, work.model.jit_compile) == (eager, xla)
    assert work.model.optimizer is work.optimiser
    assert np.isfinite(work.loss())


def test_the_lstm_takes_padded_sequences_from_a_generator_and_looks_now_and_then():
    cell, plan = of("lstm", 4, steps_per_epoch=6, looks_every=3)
    work, course = started(cell), Course()
    seen: list[Any] = []

    with (
        patch.object(work, "forward", seen.append),
        patch.object(work, "train", wraps=work.train) as train,
    ):
        work.fit(plan, course)

    assert course.told == ["seed", 6]
    assert len(seen) == 3  # after the first, the third and the sixth
    batches = [call.args[0].numpy() for call in train.call_args_list]
    assert {batch.shape for batch in batches} == {(4, 20, 1)}
    lengths = [(row != -1).sum() for batch in batches for row in batch]
    assert 5 <= min(lengths) < max(lengths) <= 20


def test_sequences_are_linear_or_random():
    drawn = sequences(cell_of("lstm"))

    for _ in range(20):
        row, label = next(drawn)
        steps = np.diff(row[row != -1])
        assert (np.abs(steps - 1e-4).max() < 1e-6) == (label == 0)


def test_scripts_rates_and_epochs_come_from_the_callbacks_clock():
    cell = replace(cell_of("mnist", batch_size=4), tier="smoke")
    work: Any = tensorflow().prepare(cell)

    values, recorder = follow(work, cell)

    result = recorder.checks["said"]
    (seed,) = [it for it in result if it.get("phase") == "seed" and "values" in it]
    rate = values["fit_samples_per_second"]["value"]
    assert (seed["per"], len(seed["values"])) == (2, 1)
    assert rate == pytest.approx(2 * 4 / seed["values"][0])
    protocol = recorder.checks["seed_protocol"]
    assert (protocol["name"], protocol["version"]) == ("m1tensorbench", 2)
    assert protocol["scaled"]


def test_an_order_is_new_in_each_epoch_and_has_every_sample_once():
    cell, plan = of("mnist", 4, epochs=2, steps_per_epoch=3)
    source = SourceArrays(cell, plan, None)

    first, second = (
        [row.tobytes() for inputs, _ in source.epoch(number) for row in inputs]
        for number in (0, 1)
    )

    assert first != second
    assert set(first) == set(second)
    assert len(set(first)) == 12
