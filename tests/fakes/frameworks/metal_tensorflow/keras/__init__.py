"""Stands in for Keras: the switches that single operations set."""

from types import SimpleNamespace

__version__ = "3.15.1"
_policy = ["float32"]
config = SimpleNamespace(
    set_dtype_policy=lambda name: _policy.__setitem__(0, name),
    dtype_policy=lambda: SimpleNamespace(name=_policy[0]),
    image_data_format=lambda: "channels_last",
)
utils = SimpleNamespace(set_random_seed=lambda _seed: None)
