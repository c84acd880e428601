"""What every part of a report is made of: the base model and the bounded numbers."""

from collections.abc import Mapping
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

Count = Annotated[int, Field(ge=0)]
Amount = Annotated[float, Field(ge=0)]
Share = Annotated[float, Field(ge=0, le=1)]

Metrics = Mapping[str, Share]
"""Metric name (``recall@5``, ``ndcg@10``, ``mrr``) to its mean over the queries."""


class Part(BaseModel):
    """Base of every part of a report: frozen, and no field the schema lacks."""

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)
