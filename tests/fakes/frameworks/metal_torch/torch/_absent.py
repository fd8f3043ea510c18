"""Names that are imported, and classes that are derived from, but never used."""


def absent(name):
    """Return a class that cannot be made: single operations do without."""

    def refuse(self, *_given, **_more):
        raise NotImplementedError(f"this torch is a fake: it has no {name}")

    return type(name, (), {"__init__": refuse})
