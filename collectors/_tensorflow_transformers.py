"""DistilBERT and BERT-large as plain Keras layers, as their authors configured them."""

from dataclasses import dataclass
from typing import Any

import keras
from _tensorflow_vision import Facts, logits
from keras import layers

VOCABULARY = 30522
_POSITIONS, _TOKEN_TYPES = 512, 2
_DROPOUT, _EPSILON = 0.1, 1e-12


@dataclass(frozen=True)
class _Encoder:
    """The measures of an encoder."""

    width: int
    heads: int
    layers: int
    inner: int
    attention_output_dropout: float


_DISTILBERT = _Encoder(768, 12, 6, 3072, attention_output_dropout=0.0)
_BERT_LARGE = _Encoder(1024, 16, 24, 4096, attention_output_dropout=_DROPOUT)


class Positions(layers.Layer):  # type: ignore[misc]
    """Adds a learnt vector for each position."""

    def build(self, shape: tuple[int, ...]) -> None:
        """Make a vector for every position that the network was designed for."""
        self.table = self.add_weight(shape=(_POSITIONS, shape[-1]), name="table")

    def call(self, x: Any) -> Any:
        """Return *x* of (batch, tokens, width) with the vectors added."""
        return x + self.table[: x.shape[1]]


class FirstSentence(layers.Layer):  # type: ignore[misc]
    """Adds the learnt vector of a first sentence; no second one ever comes."""

    def build(self, shape: tuple[int, ...]) -> None:
        """Make a vector for either sentence."""
        self.table = self.add_weight(shape=(_TOKEN_TYPES, shape[-1]), name="table")

    def call(self, x: Any) -> Any:
        """Return *x* of (batch, tokens, width) with the vector added."""
        return x + self.table[0]


def distilbert(facts: Facts) -> Any:
    """Return DistilBERT with its head: Dense, ReLU, dropout 0.2, logits."""
    ids = keras.Input((facts["sequence_length"],), dtype="int32")
    x = Positions()(layers.Embedding(VOCABULARY, _DISTILBERT.width)(ids))
    x = _encoded(_DISTILBERT, x)
    x = layers.Dense(_DISTILBERT.width, activation="relu")(x[:, 0])
    x = layers.Dropout(0.2)(x)
    return keras.Model(ids, logits(facts["classes"])(x))


def bert_large(facts: Facts) -> Any:
    """Return BERT-large with its pooler, dropout and logits."""
    ids = keras.Input((facts["sequence_length"],), dtype="int32")
    x = Positions()(layers.Embedding(VOCABULARY, _BERT_LARGE.width)(ids))
    x = _encoded(_BERT_LARGE, FirstSentence()(x))
    x = layers.Dense(_BERT_LARGE.width, activation="tanh")(x[:, 0])
    x = layers.Dropout(_DROPOUT)(x)
    return keras.Model(ids, logits(facts["classes"])(x))


def _encoded(encoder: _Encoder, x: Any) -> Any:
    x = layers.LayerNormalization(epsilon=_EPSILON)(x)
    x = layers.Dropout(_DROPOUT)(x)
    for _ in range(encoder.layers):
        x = _layer(encoder, x)
    return x


def _layer(encoder: _Encoder, x: Any) -> Any:
    attention = layers.MultiHeadAttention(
        encoder.heads, encoder.width // encoder.heads, dropout=_DROPOUT
    )
    attended = attention(x, x)
    if encoder.attention_output_dropout:
        attended = layers.Dropout(encoder.attention_output_dropout)(attended)
    x = layers.LayerNormalization(epsilon=_EPSILON)(x + attended)
    inner = layers.Dense(encoder.inner, activation="gelu")(x)
    outer = layers.Dropout(_DROPOUT)(layers.Dense(encoder.width)(inner))
    return layers.LayerNormalization(epsilon=_EPSILON)(x + outer)
