"""Nothing in here can be called."""

from torch._absent import absent

conv2d, interpolate = absent("conv2d"), absent("interpolate")
