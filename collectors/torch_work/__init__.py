"""The workloads in PyTorch."""
