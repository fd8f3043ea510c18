"""What can go wrong in a way that the user can act on."""


class BenchdbError(Exception):
    """Something failed; the message says what, why and what to try."""

    exit_status = 1


class UsageError(BenchdbError):
    """Wrong use, or a device or framework that is not there."""

    exit_status = 2


class DatabaseError(BenchdbError):
    """The database cannot be opened, read or written."""


class ExchangeError(BenchdbError):
    """A file is not an exchange file, or none that this version understands."""
