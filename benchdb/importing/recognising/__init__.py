"""Telling chips, workloads, frameworks, devices and systems from the words for them."""
