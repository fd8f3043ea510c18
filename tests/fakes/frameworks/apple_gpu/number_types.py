"""Types of numbers; NumPy has no bfloat16, so that is a float32 with fewer digits."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class DType:
    name: str
    itemsize: int
    kept_as: str

    @property
    def size(self):
        return self.itemsize

    def rounded(self, values):
        """Return *values* as this type has them."""
        values = np.asarray(values).astype(self.kept_as)
        if self.name == "bfloat16":
            bits = values.view("uint32").astype("uint64")
            even = ((bits >> 16) & 1) + 0x7FFF
            values = ((bits + even) & 0xFFFF0000).astype("uint32").view("float32")
        return values


float64 = DType("float64", 8, "float64")
float32 = DType("float32", 4, "float32")
float16 = DType("float16", 2, "float16")
bfloat16 = DType("bfloat16", 2, "float32")
int64 = DType("int64", 8, "int64")
uint8 = DType("uint8", 1, "uint8")
