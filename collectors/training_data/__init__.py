"""MNIST and CIFAR-10, read from their original files."""
