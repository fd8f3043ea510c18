"""Running text as sheets: what programs print, and lists that people write.

Each habit has a module with ``sheets(document)``. It takes the lines that are its own
and leaves all others alone; what stands above becomes the context: headings, banners
(``=== X ===``), the command line, then up to three plain lines right above that name
something. What is said of the settings is a column of the figures below (``settings``).

A cell's *text* is without terminal escapes, its *raw* is the whole line where there
were any. A progress line drawn over and over counts as it stood last. Programs (fences
with code), front matter and lines longer than ``line_text.WIDTH_LIMIT`` are not read.
"""
