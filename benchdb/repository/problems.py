"""A problem of a collection, in which all of its checks speak."""

import msgspec


class Problem(msgspec.Struct, frozen=True):
    """*what* is wrong *where*, and what to *attempt* instead."""

    where: str
    what: str
    attempt: str

    def __str__(self) -> str:
        """Return it as one line."""
        return f"{self.where}: {self.what}; {self.attempt}"
