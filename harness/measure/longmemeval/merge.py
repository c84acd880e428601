"""Put the journals of one run together: each question once, in file order."""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from harness.errors import ReportFormatError
from harness.measure.longmemeval.journal import Content, require_same
from harness.measure.longmemeval.records import (
    Embedding,
    Header,
    QuestionRecord,
    Ranked,
    Start,
)


@dataclass(frozen=True, slots=True)
class Run:
    """One run, from one journal or several."""

    header: Header
    starts: Sequence[Start]
    records: Sequence[QuestionRecord]
    """Of every question, in file order."""
    walls: Sequence[float]
    """Seconds that each journal's questions took: journals run beside each other."""

    embedded: Sequence[Embedding]
    """What each start asked of an endpoint; none without a model."""

    @property
    def configurations(self) -> tuple[Ranked, ...]:
        """What was asked under."""
        return self.header.configurations

    @property
    def failed(self) -> bool:
        """Whether anything has no result, so that there is no headline."""
        return any(record.failures for record in self.records)


def merged(journals: Sequence[tuple[Path, Content]]) -> Run:
    """Put journals together, in file order.

    Raises:
        UsageError: They are of different runs.
        ReportFormatError: A question is in two of them or in none.
    """
    first, _ = journals[0]
    header: Header | None = None
    records: dict[int, QuestionRecord] = {}
    for path, content in journals:
        if content.header is None:
            continue
        header = header or content.header
        require_same(content.header.fingerprint, header.fingerprint, path)
        for index, record in content.records.items():
            earlier = records.get(index)
            if earlier is None or earlier.failures:
                # What failed may have been asked again by another worker.
                records[index] = record
            elif not record.failures:
                raise ReportFormatError(
                    f"question {record.id!r} is in another journal too.",
                    where=str(path),
                )
    if header is None:
        raise ReportFormatError("the journal is empty.", where=str(first))
    missing = next((i for i in range(header.questions) if i not in records), None)
    if missing is not None:
        raise ReportFormatError(
            f"question {missing} of {header.questions} is in no journal.",
            where=str(first),
            remedy="Run the same command again: it goes on where it stopped.",
        )
    return Run(
        header=header,
        starts=[start for _, content in journals for start in content.starts],
        embedded=[
            each for _, content in journals for each in content.embedded.values()
        ],
        records=[records[index] for index in range(header.questions)],
        walls=[
            math.fsum(record.spent.wall for record in content.records.values())
            for _, content in journals
        ],
    )
