"""A site of static pages: answers, chips, workloads, machines, sources, runs, pairs."""
