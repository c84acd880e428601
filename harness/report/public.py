"""MemCastle's own report files, so that its published numbers can be compared.

Schema 1 is the only one that was ever published. The models hold what a comparison
needs; everything else in the file is passed over.
"""

from collections.abc import Mapping
from typing import Literal

from pydantic import BaseModel, ConfigDict

from harness.report.files import JsonFile, parse
from harness.report.part import Count, Metrics

SCHEMA_VERSION = 1
FAMILIES = frozenset({"recall", "precision", "hit", "all", "ndcg", "mrr"})
"""The metrics the format knows, without their cut-offs."""


class PublicPart(BaseModel):
    """Base of the parts: frozen, and blind to what this harness does not need."""

    model_config = ConfigDict(frozen=True, extra="ignore", allow_inf_nan=False)


class PublicDataset(PublicPart):
    """Which data was asked."""

    name: str
    version: Count
    sha256: str
    documents: Count
    queries: Count


class PublicEnvironment(PublicPart):
    """Where the vectors came from."""

    vectors: str
    embedding_provider: str
    embedding_model: str | None
    backend: str


class PublicParameters(PublicPart):
    """The knobs of the run."""

    ks: tuple[Count, ...]
    limit: Count
    repetitions: Count
    scale: Count
    skipped_queries: Count = 0


class PublicRun(PublicPart):
    """One configuration's figures; the format does not count a category's queries."""

    name: str
    ranking: Literal["lexical", "semantic", "hybrid"]
    expand: bool
    queries: Count
    metrics: Metrics
    by_category: Mapping[str, Metrics]


class PublicReport(PublicPart):
    """A report as MemCastle writes it."""

    schema_version: Literal[1]
    memcastle_version: str
    dataset: PublicDataset
    environment: PublicEnvironment
    parameters: PublicParameters
    runs: tuple[PublicRun, ...]


def is_public(file: JsonFile) -> bool:
    """Tell whether the file looks like a report of MemCastle's, of any schema."""
    return "memcastle_version" in file.fields and "schema_version" in file.fields


def parse_public(file: JsonFile) -> PublicReport:
    """Turn a file that was read into the report of MemCastle's that it holds.

    Raises:
        ReportFormatError: Another schema, or a shape that schema 1 does not have.
    """
    found = file.fields.get("schema_version")
    if type(found) is not int or found != SCHEMA_VERSION:
        raise file.refuse(
            f"a MemCastle report of schema {found!r}; "
            f"this harness reads schema {SCHEMA_VERSION}."
        )
    return parse(file, PublicReport, kind="MemCastle report")
