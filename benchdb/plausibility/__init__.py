"""Rules that find figures which cannot be, or do not fit together; they change none."""
