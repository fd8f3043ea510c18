"""Networks can be derived from, not made."""

from torch._absent import absent

Module = absent("Module")
