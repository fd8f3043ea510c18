"""Nothing is loaded."""

from torch._absent import absent

DataLoader, Dataset = absent("DataLoader"), absent("Dataset")
