"""Where a run's vectors come from: ``EVAL_EMBEDDINGS_*``, and how they are asked for.

The address and the key are read from the environment alone; no option names them.
"""

import argparse
import json
import os
from collections.abc import Iterator, Mapping
from contextlib import contextmanager

from harness.measure.longmemeval.plan import Model
from harness.provider.credentials import read_endpoint
from harness.provider.embedder import EndpointEmbedder
from harness.provider.options import EmbeddingOptions

PROFILE = "longmemeval"


def embedding_options(arguments: argparse.Namespace) -> EmbeddingOptions:
    """Return how to cut texts and how to ask for their vectors."""
    return EmbeddingOptions(
        oversize=arguments.oversize, tokens_per_text=arguments.model_tokens
    )


@contextmanager
def embedding(arguments: argparse.Namespace) -> Iterator[EndpointEmbedder | None]:
    """Open the endpoint that the environment names; ``None`` where it names none.

    Raises:
        UsageError: A variable cannot be used.
        PrerequisiteError: The endpoint, or the cache, cannot be.
        ProviderError: It answered to the first text with what is no vector.
    """
    endpoint = read_endpoint(os.environ)
    if endpoint is None:
        yield None
        return
    cache, options = arguments.embedding_cache, embedding_options(arguments)
    with EndpointEmbedder(endpoint, options, cache=cache) as embedder:
        yield embedder


def model_of(embedder: EndpointEmbedder | None) -> Model | None:
    """Name the model of a plan."""
    if embedder is None:
        return None
    return Model(
        name=embedder.model,
        dimension=embedder.dimension,
        oversize=embedder.oversize,
        endpoint=embedder.url,
    )


def profile_settings(model: Model | None) -> Mapping[str, str]:
    """Tell a daemon that is started to take vectors of this length from its caller."""
    if model is None:
        return {}
    profile = {
        "name": PROFILE,
        "dimension": model.dimension,
        "external": True,
        "default": True,
    }
    return {"PALACE_PROFILES": json.dumps([profile])}
