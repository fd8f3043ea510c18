"""What PyTorch's networks are fed with, and one pass over all of it."""

import importlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from unittest.mock import Mock, call, patch

import numpy as np
import pytest
import torch
from harness.cells import SeedPlan
from torch_work.training import LoadedImages, Training
from training_data.batches import batches_of, images_of, random_images

from tests.collector_programs import COLLECTORS
from tests.collectors.dataset_files import MNIST_LABELS, mnist, write
from tests.collectors.torch_cells import cell, framework, started

# Spawned processes, as on a Mac, import this again; they have to find it finished.
EPOCH = """
import json, multiprocessing, os, sys
from dataclasses import replace
from harness.cells import Cell, SeedPlan
from with_torch import Torch

if __name__ == "__main__":
    multiprocessing.set_start_method(sys.argv[1])
    if hasattr(os, "sched_setaffinity"):  # fewer processors than processes
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[:1])
    framework = Torch()
    cell = Cell.from_json(json.loads(sys.argv[2]))
    framework.load(cell.workload)
    framework.configure(cell)
    work = framework.prepare(cell)
    work.build()
    work.make_data()
    done = work.epoch(cell.seed_plan)
    left = len(multiprocessing.active_children())
    print(json.dumps({"done": done, "left": left, "loss": work.loss(), **work.notes()}))
"""


def test_random_batches_follow_the_seed():
    first, again, other = (
        batches_of(cell("mnist-cnn", seed=seed, batch_size=2))[0][0]
        for seed in (1, 1, 2)
    )

    assert np.array_equal(first, again)
    assert not np.array_equal(first, other)
    assert first.shape == (2, 28, 28, 1)


def test_a_pass_loads_each_image_once_and_enlarges_it():
    chosen = cell("mobilenetv2-cifar10", batch_size=4)
    plan = SeedPlan("epoch", samples=10)
    images = replace(random_images(chosen, 10), labels=np.arange(10))

    batches = list(Training(chosen).one_pass(plan, images))

    labels = torch.cat([part for _, part in batches])
    assert [len(part) for _, part in batches] == [4, 4, 2]
    assert sorted(labels.tolist()) == list(range(10)) != labels.tolist()
    assert {inputs.shape[1:] for inputs, _ in batches} == {(3, 96, 96)}
    assert all(0 <= inputs.min() < inputs.max() <= 1 for inputs, _ in batches)


def test_fit_moves_arrays_of_the_host_batch_by_batch_and_judges_each_epoch():
    plan = SeedPlan(
        *("fit", 0, 2, 3), data_path="pipeline", samples=10, validation_samples=6
    )
    work = started(cell("mnist-cnn", batch_size=4))
    reached = Mock(return_value=False)
    course = Mock(over=False, reached=reached, begin=Mock(), end=Mock())
    moved = patch.object(work, "arranged", wraps=work.arranged)
    judged = patch.object(work, "forward", wraps=work.forward)

    with moved as arranged, judged as forward:
        work.fit(plan, course)

    sizes = [len(item.args[1]) for item in arranged.call_args_list]
    assert sizes == [4, 4, 2, 4, 2] * 2  # ten to train on, six to judge by
    assert {type(item.args[0]) for item in arranged.call_args_list} == {np.ndarray}
    assert forward.call_count == 4
    assert reached.mock_calls == [call(step) for step in (1, 2, 3, 1, 2, 3)]
    assert (course.begin.mock_calls, course.end.call_count) == ([call("seed")], 2)


def test_an_epoch_trains_on_every_image_of_the_plan():
    plan = SeedPlan("epoch", samples=10)
    work = started(cell("resnet9", batch_size=4, seed_plan=plan))

    before = work.loss()

    assert work.epoch(plan) == 10
    assert work.epoch(replace(plan, samples=4)) == 4
    assert work.loss() != before
    assert work.notes() == {"batches": 64, "loader": {"processes": 0}}


# More processes than processors, of which one is left; a spawned one takes seconds.
@pytest.mark.parametrize(("method", "processes"), [("fork", 2), ("spawn", 1)])
def test_loader_processes_feed_an_epoch_and_leave_without_a_word(
    method, processes, tmp_path
):
    plan = SeedPlan("epoch", samples=6, loader_processes=processes)
    chosen = cell("resnet9", data="mnist", batch_size=4, seed_plan=plan)
    program = tmp_path / "epoch.py"
    program.write_text(EPOCH)

    asked = [sys.executable, program, method, json.dumps(chosen, default=vars)]
    path = {"PYTHONPATH": str(COLLECTORS), "OMP_NUM_THREADS": "1"}
    done = subprocess.run(
        asked, capture_output=True, text=True, check=False, env=os.environ | path
    )

    result = json.loads(done.stdout)
    assert (result["done"], result["left"], done.stderr) == (6, 0, "")
    assert result["loader"] == {"processes": processes, "start_method": method}


@pytest.mark.parametrize(("channels", "side"), [(1, 28), (3, 32)])
def test_a_loaded_image_is_what_torchvisions_transforms_make_of_it(channels, side):
    made = random_images(cell("resnet18" if channels == 1 else "resnet9"), 2)
    framework("resnet18")  # which imports torchvision, where its operators are lacking
    transforms = importlib.import_module("torchvision.transforms")
    image = importlib.import_module("PIL.Image")
    raw = made.pixels[1]
    steps = [transforms.Resize((64, 64)), transforms.ToTensor()]
    steps[1:1] = [transforms.Grayscale(3)] if channels == 1 else []

    loaded, label = LoadedImages(made, 2, 64, 3)[1]

    expected = image.fromarray(raw[:, :, 0] if channels == 1 else raw)
    assert raw.shape == (side, side, channels)
    assert torch.equal(loaded, transforms.Compose(steps)(expected))
    assert label == made.labels[1]


def test_a_pass_over_real_images_takes_the_first_of_them(tmp_path):
    write(tmp_path, mnist())
    plan = SeedPlan("epoch", samples=12)
    small = cell("resnet18", batch_size=4, image_size=32, seed_plan=plan)
    chosen = replace(small, data_folder=str(tmp_path))
    images = images_of(chosen)

    assert images is not None
    batches = Training(chosen).one_pass(plan, images)
    labels = torch.cat([part for _, part in batches])
    assert sorted(labels.tolist()) == sorted(MNIST_LABELS[:12])
