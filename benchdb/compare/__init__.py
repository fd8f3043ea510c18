"""Compare: results against results, cell by cell, with the report's own statistics."""
