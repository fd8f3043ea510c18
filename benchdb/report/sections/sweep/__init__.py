"""The sweep of matrix products: TFLOPS against size, with the peak of the chip."""
