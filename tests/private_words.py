"""A Mac whose owner could be known from it, and what would give her away."""

import getpass
import re
import socket

# What a framework may say, and who asks.
LEAK = (
    "cannot open /Users/janedoe/models/secret.bin for janedoe@Janes-Mac.local at "
    "192.168.1.17, a4:83:4e:5f:6a:7b, 9F1B7C3E-1111-4222-8333-ABCDEF012345"
)
JANE = {"USER": "janedoe", "LOGNAME": "janedoe", "HOSTNAME": "Janes-Mac.local"}
PRIVATE = re.compile(
    r"jane|C02SERIAL|d15c0ffee|00008103|7340131|4456547|secret\.bin /|/Users|/home/"
    r"|[0-9a-f]{8}-[0-9a-f]{4}-|(?:[0-9a-f]{2}[:-]){5}[0-9a-f]{2}"
    r"|(?<![\d.])\d{1,3}(?:\.\d{1,3}){3}(?![\d.])",
    re.IGNORECASE,
)


def given_away(text: str) -> list[str]:
    """Return what in *text* tells of Jane, of her Mac, or of who runs the tests.

    Names that anybody has, as root, and words of the project's own tell nothing.
    """
    own = {socket.gethostname(), getpass.getuser()} - {"root", "runner", "localhost"}
    names = [name for name in own if len(name) > 3 and name in text]
    return PRIVATE.findall(text) + names
