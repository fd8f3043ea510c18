"""Signatures are made and checked by the real ssh-keygen, in one form only."""

import base64
import os
import pty
import subprocess
import sys
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import pytest

from benchdb.bundles.signatures import (
    SignatureError,
    UnfitError,
    public_key,
    sign,
    signer_of,
    usual_key,
)
from tests.keys import fingerprint, new_key, public_line

CONTENT = b'{"runs":1}'


@pytest.fixture(scope="module", name="key")
def a_key(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return new_key(tmp_path_factory.mktemp("keys") / "id_ed25519")


@pytest.mark.parametrize("kind", ["ed25519", "ecdsa", "rsa"])
def test_a_signature_tells_whose_key_made_it(tmp_path: Path, kind: str) -> None:
    key = new_key(tmp_path / "key", kind)

    result = signer_of(CONTENT, sign(CONTENT, key))

    assert result.fingerprint == fingerprint(key)
    assert result.line == public_line(key)
    assert result == public_key(key.with_suffix(".pub").read_text())


def test_the_same_content_and_key_give_the_same_signature(key: Path) -> None:
    assert sign(CONTENT, key) == sign(CONTENT, key)


def test_a_signature_of_other_content_does_not_fit(key: Path) -> None:
    with pytest.raises(UnfitError, match="does not fit the content"):
        signer_of(CONTENT + b"\n", sign(CONTENT, key))


def test_a_signature_for_git_is_none_here(key: Path, tmp_path: Path) -> None:
    file = tmp_path / "commit"
    file.write_bytes(CONTENT)
    subprocess.run(
        ["ssh-keygen", "-q", "-Y", "sign", "-n", "git", "-f", key, file], check=True
    )

    with pytest.raises(UnfitError, match="made for 'git', not for 'benchdb'"):
        signer_of(CONTENT, file.with_suffix(".sig").read_text())


def unpacked(signature: str) -> bytes:
    return base64.b64decode("".join(signature.split("\n")[1:-2]))


def armoured(packed: bytes, width: int = 70) -> str:
    text = base64.b64encode(packed).decode()
    lines = [text[at : at + width] for at in range(0, len(text), width)]
    ends = ("-----BEGIN SSH SIGNATURE-----", "-----END SSH SIGNATURE-----")
    return "\n".join((ends[0], *lines, ends[1], ""))


def with_reserved_text(signature: str) -> str:
    empty = b"\0\0\0\x07benchdb\0\0\0\0"
    packed = unpacked(signature)
    assert packed.count(empty) == 1
    return armoured(packed.replace(empty, empty[:-1] + b"\x05extra"))


def of_version_0(signature: str) -> str:
    return armoured(unpacked(signature).replace(b"SSHSIG\0\0\0\1", b"SSHSIG\0\0\0\0"))


def with_windows_lines(signature: str) -> str:
    return signature.replace("\n", "\r\n")


def with_narrow_lines(signature: str) -> str:
    return armoured(unpacked(signature), 76)


def with_something_behind(signature: str) -> str:
    return signature + "\n"


@pytest.mark.parametrize(
    "change",
    [
        with_reserved_text,
        of_version_0,
        with_windows_lines,
        with_narrow_lines,
        with_something_behind,
    ],
)
def test_forms_that_ssh_keygen_may_tolerate_are_refused(
    key: Path, change: Callable[[str], str]
) -> None:
    signature = sign(CONTENT, key)

    with pytest.raises(UnfitError):
        signer_of(CONTENT, change(signature))
    assert armoured(unpacked(signature)) == signature


def test_every_other_character_of_a_signature_is_noticed(key: Path) -> None:
    signature = sign(CONTENT, key)
    for place in range(0, len(signature), 5):
        other = chr(ord(signature[place]) ^ 1)
        with pytest.raises(UnfitError):
            signer_of(CONTENT, signature[:place] + other + signature[place + 1 :])


def test_without_a_terminal_a_passphrase_is_one_clear_line(tmp_path: Path) -> None:
    key = new_key(tmp_path / "locked", "ed25519", "a secret")

    with pytest.raises(SignatureError) as refused:
        sign(CONTENT, key)

    text = str(refused.value)
    assert "incorrect passphrase" in text
    assert text.endswith("give the key to an agent first: ssh-add")
    assert "\n" not in text


def test_on_a_terminal_ssh_keygen_asks_for_the_passphrase(tmp_path: Path) -> None:
    key = new_key(tmp_path / "locked", "ed25519", "a secret")
    program = (
        "import pathlib, sys; from benchdb.bundles.signatures import sign; "
        f"print(sign({CONTENT!r}, pathlib.Path(sys.argv[1])))"
    )
    child, terminal = pty.fork()
    if child == 0:
        os.execv(sys.executable, [sys.executable, "-c", program, str(key)])  # noqa: S606
    shown = b""
    with suppress(OSError):  # the other side is closed
        while chunk := os.read(terminal, 65536):
            shown += chunk
            if shown.endswith(b": "):
                os.write(terminal, b"a secret\n")
    os.waitpid(child, 0)
    os.close(terminal)

    asked, _, rest = shown.decode().replace("\r\n", "\n").partition("-----BEGIN")
    signature = f"-----BEGIN{rest.rstrip()}\n"
    assert "passphrase" in asked
    assert signer_of(CONTENT, signature).fingerprint == fingerprint(key)


def test_an_agent_signs_for_a_key_with_a_passphrase(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = new_key(tmp_path / "key")
    socket = tmp_path / "agent"
    agent = subprocess.Popen(["ssh-agent", "-D", "-a", socket])
    try:
        monkeypatch.setenv("SSH_AUTH_SOCK", str(socket))
        while not socket.exists():
            assert agent.poll() is None
        subprocess.run(["ssh-add", "-q", key], check=True)
        subprocess.run(
            ["ssh-keygen", "-q", "-p", "-N", "secret", "-f", key], check=True
        )
        assert signer_of(CONTENT, sign(CONTENT, key)).fingerprint == fingerprint(key)
    finally:
        agent.terminate()
        agent.wait()


def test_without_ssh_keygen_it_says_so(
    key: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    signature = sign(CONTENT, key)
    monkeypatch.setenv("PATH", "/nowhere")

    for attempt in (lambda: sign(CONTENT, key), lambda: signer_of(CONTENT, signature)):
        with pytest.raises(SignatureError, match="not on PATH; install OpenSSH") as why:
            attempt()
        assert not isinstance(why.value, UnfitError)


def test_the_usual_key_is_that_of_git_before_those_in_the_home_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    assert usual_key() is None

    rsa, own = new_key(tmp_path / ".ssh/id_rsa"), new_key(tmp_path / "work/own")
    assert usual_key() == rsa
    ed25519 = new_key(tmp_path / ".ssh/id_ed25519")
    assert usual_key() == ed25519

    subprocess.run(["git", "config", "--global", "user.signingkey", own], check=True)
    assert usual_key() == ed25519
    subprocess.run(["git", "config", "--global", "gpg.format", "ssh"], check=True)
    assert usual_key() == own


@pytest.mark.parametrize(
    "text", ["", "ssh-ed25519", "ssh-ed25519 AAAA", "ssh-rsa !!!", os.devnull]
)
def test_what_is_no_public_key_is_refused(text: str) -> None:
    with pytest.raises(SignatureError, match=r"no public SSH key|not accepted"):
        public_key(text)
