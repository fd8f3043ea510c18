"""Student's t, intervals, ratios with verdicts, and the spreads that were seen."""
