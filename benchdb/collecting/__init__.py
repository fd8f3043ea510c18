"""Collecting: plan the runs, start the collectors, keep what they measure."""
