"""The workloads in TensorFlow and Keras."""
