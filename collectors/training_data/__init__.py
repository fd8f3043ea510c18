"""What networks are fed with: random batches, MNIST and CIFAR-10 from their files."""
