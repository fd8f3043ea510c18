"""Attack benchdb for a given time: kill it, crowd it, fill its disk, feed it anything.

``python -m tools.torture --seconds 600 --seed 7`` prints what was tried, survived and
lost; ``make torture`` calls it, the tests run a short form.
"""
