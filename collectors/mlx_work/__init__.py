"""The workloads in MLX."""
