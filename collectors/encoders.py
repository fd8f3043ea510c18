"""The measures of DistilBERT and BERT-large, for frameworks that bring neither."""

from typing import NamedTuple

POSITIONS, TOKEN_TYPES = 512, 2
DROPOUT, EPSILON = 0.1, 1e-12


class Encoder(NamedTuple):
    """The measures of an encoder, and what its head does."""

    width: int
    heads: int
    layers: int
    inner: int
    attention_output_dropout: float
    sentences: bool
    activation: str
    head_dropout: float


ENCODERS = {
    "distilbert": Encoder(
        *(768, 12, 6, 3072, 0.0), sentences=False, activation="relu", head_dropout=0.2
    ),
    "bert-large": Encoder(
        *(1024, 16, 24, 4096, DROPOUT),
        sentences=True,
        activation="tanh",
        head_dropout=DROPOUT,
    ),
}
