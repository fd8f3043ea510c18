"""Where the marks of a chart on two axes stand, in per cent and pixels."""
