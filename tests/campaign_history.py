"""Campaigns of a made-up machine, one after the other, as a file that others share."""

import json
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from tests.exchange_lines import ENVIRONMENT, HEADER, MACHINE, end, line, run, samples

FIRST = datetime(2026, 3, 2, 6, tzinfo=UTC)
BATCH = 64
# Three processes of a campaign, around its own figure.
AROUND = (0.999, 1.0, 1.001)
FAILED = {"gates": {"loss": {"status": "failed"}}}  # grade X
TEST_MACHINE = json.loads(MACHINE)["anonymous_id"]


def campaign(
    number: int,
    rate: float,
    *,
    processes: Sequence[float] = AROUND,
    environment: dict[str, Any] | None = None,
    checks: dict[str, Any] | None = None,
    **changes: Any,
) -> list[bytes]:
    """Return the lines of campaign *number*, a day after the one before.

    *rate* are samples per second; *changes* are of its runs.
    """
    day = FIRST + timedelta(days=number)
    key = f"e{number}"
    lines = [line(ENVIRONMENT, key=key, **(environment or {}))]
    for turn, factor in enumerate(processes):
        name = f"r{number}-{turn}"
        began = day + timedelta(minutes=turn)
        step = BATCH / (rate * factor)
        facts = {
            "environment": key,
            "campaign": f"{day:%Y%m%d}-test",
            "replicate": turn,
            "replicates": len(processes),
            "started": began.isoformat(),
            "conditions": {"load_1m": 0.1, "power_source": "ac"},
        }
        lines += [
            run(name, **(facts | changes)),
            samples(name, *[step] * 20),
            end(
                name,
                checks=checks or {},
                ended=(began + timedelta(seconds=30)).isoformat(),
                values=[
                    {"metric": "samples_per_second", "value": BATCH / step},
                    {"metric": "step_seconds", "value": step},
                ],
            ),
        ]
    return lines


def stepped(before: int = 5, after: int = 4, step: float = 0.92) -> list[list[bytes]]:
    """Return campaigns that are slower from an update of framework and system on."""
    wobble = (1.0, 1.004, 0.996, 1.003, 0.998)
    old = {"framework_version": "2.7.0", "os_version": "26.1"}
    new = {"framework_version": "2.8.0", "os_version": "26.2"}
    return [
        campaign(
            number,
            480 * wobble[number % 5] * (1 if number < before else step),
            environment=old if number < before else new,
        )
        for number in range(before + after)
    ]


def shared(path: Path, campaigns: Sequence[Sequence[bytes]]) -> Path:
    """Write campaigns of the test machine to a file at *path*."""
    every = [each for lines in campaigns for each in lines]
    path.write_bytes(b"".join([HEADER, MACHINE, *every]))
    return path
