"""A report in Markdown: the page, its tables, and what must be escaped."""
