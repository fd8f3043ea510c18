"""Charts: a specification (``spec``), and what draws it on pages and in files.

That of a section is in its words.
"""
