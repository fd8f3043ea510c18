"""``benchdb serve``: a preview of the site that follows its database."""

import re
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection

import pytest

from tests.in_process import benchdb
from tests.store_factory import Machine, Run
from tests.summary_page import WALL
from tests.written_reports import mixed, store


@contextmanager
def served(database) -> Iterator[tuple[int, subprocess.Popen[str]]]:
    words = ["serve", "--port", "0", "--lang", "en", "--db", str(database)]
    process = subprocess.Popen(
        [sys.executable, "-m", "benchdb", *words], stdout=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    line = process.stdout.readline()
    match = re.search(r"http://127\.0\.0\.1:(\d+)/", line)
    assert match, line
    try:
        yield int(match[1]), process
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=20)
        process.stdout.close()


def got(port: int, path: str, host: str | None = None) -> tuple[int, str]:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    headers = {"Host": host} if host else {}
    connection.request("GET", path, headers=headers)
    answer = connection.getresponse()
    return answer.status, answer.read().decode()


def test_the_preview_follows_what_is_imported(tmp_path):
    database = store(tmp_path, mixed())
    more = tmp_path / "more"
    more.mkdir()
    other = store(more, [Run(machine=Machine(chip="M9 Max"), values={WALL: 5.0})])
    exported = tmp_path / "more.jsonl"
    assert benchdb("export", "--db", other, "-o", exported).status == 0

    with served(database) as (port, process):
        status, page = got(port, "/")
        first = got(port, "/.benchdb-state")[1]
        assert status == 200
        assert '<script src="/.benchdb-follow.js">' in page
        assert got(port, "/chip/m9-max.html")[0] == 404

        assert benchdb("import", exported, "--db", database).status == 0
        until = time.monotonic() + 30
        while got(port, "/.benchdb-state")[1] == first and time.monotonic() < until:
            time.sleep(0.2)

        assert got(port, "/chip/m9-max.html")[0] == 200
    assert process.returncode == 130


@pytest.mark.parametrize("host", ["evil.example", "evil.example:80"])
def test_a_page_of_another_host_cannot_read_the_preview(tmp_path, host):
    with served(store(tmp_path, mixed())) as (port, _):
        assert got(port, "/", host)[0] == 403
        assert got(port, "/", f"localhost:{port}")[0] == 200


def test_a_port_that_is_taken_is_one_line(tmp_path):
    database = store(tmp_path, mixed())
    with served(database) as (port, _):
        done = benchdb("serve", "--db", database, "--port", port)

    assert done.status == 2
    assert f"cannot listen at 127.0.0.1:{port}" in done.err
    assert done.err.count("\n") == 1
