"""What a report shows, as plain data: no words, no SQL, no rounding."""
