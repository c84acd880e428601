"""``harness import`` and ``export``: other people's formats, in and out."""

import argparse
import re
from collections.abc import Iterable, Sequence
from pathlib import Path

from harness.cli.output import refuse_unwritable
from harness.cli.score import named, sha256
from harness.dataset.exchange.assemble import Imported, Source, Tally, assemble
from harness.dataset.exchange.beir import (
    beir_files,
    read_beir_corpus,
    read_beir_qrels,
    read_beir_queries,
)
from harness.dataset.exchange.judgments import parse_grading
from harness.dataset.exchange.texts import read_texts, read_topics
from harness.dataset.exchange.trec import read_qrels
from harness.dataset.jsonfile import display
from harness.errors import ExitCode, UsageError
from harness.report.files import write_whole
from harness.report.layout import count, say, shown, terminal
from harness.report.store import load
from harness.report.trec import trec_pairs

LONGEST_NAME = 80


def import_beir(arguments: argparse.Namespace) -> ExitCode:
    """Turn a BEIR folder into a data set file, and say what became of everything."""
    folder: Path = arguments.folder
    name = arguments.name or folder.resolve().name
    files = beir_files(folder, arguments.split)
    grading = parse_grading(arguments.grades)
    out = _result_file(arguments.out, name, files)
    judgments = read_beir_qrels(folder, arguments.split)
    source = Source(
        kind="BEIR",
        name=name,
        documents=read_beir_corpus(folder),
        queries=read_beir_queries(folder),
        judgments=judgments,
        judged_in=display(files[2]),
        grading=grading,
        origin={"split": arguments.split} | _hashes(files),
    )
    return _written(assemble(source, out), out)


def import_trec(arguments: argparse.Namespace) -> ExitCode:
    """Turn topics, judgments and a corpus into a data set file, and say likewise."""
    files = (arguments.corpus, arguments.topics, arguments.qrels)
    name = arguments.name or arguments.qrels.stem
    grading = parse_grading(arguments.grades)
    out = _result_file(arguments.out, name, files)
    source = Source(
        kind="TREC",
        name=name,
        documents=read_texts(arguments.corpus),
        queries=read_topics(arguments.topics),
        judgments=read_qrels(arguments.qrels),
        judged_in=display(arguments.qrels),
        grading=grading,
        origin=_hashes(files),
    )
    return _written(assemble(source, out), out)


def export_trec(arguments: argparse.Namespace) -> ExitCode:
    """Write a report's judgments and rankings, and say how to score them."""
    path: Path = arguments.report
    folder = arguments.out or path.with_name(f"{path.stem}-trec")
    if folder.exists() and not folder.is_dir():
        raise UsageError(
            f"{str(folder)!r} is no folder.", remedy="Give --out a folder's path."
        )
    pairs, without = trec_pairs(load(path))
    console = terminal()
    for pair in pairs:
        qrels, run = folder / f"{pair.stem}.qrels", folder / f"{pair.stem}.run"
        write_whole(qrels, pair.qrels)
        write_whole(run, pair.run)
        notes = [f"{pair.queries:,} queries"]
        if pair.empty:
            notes.append(f"{len(pair.empty):,} without an answer, 0 by trec_eval -c")
        if pair.repeats:
            notes.append(f"{count(pair.repeats, 'repeated document')} dropped")
        console.print(shown(f"{pair.configuration}: {', '.join(notes)}", console))
        console.print(shown(f"  trec_eval -c {qrels} {run}", console), soft_wrap=True)
    for reason in without:
        say(console, "left out", reason, style="yellow")
    return ExitCode.PASSED


def _result_file(out: Path | None, name: str, inputs: Sequence[Path]) -> Path:
    """Settle where the result goes; a file nobody named is never replaced."""
    stem = re.sub(r"[^A-Za-z0-9._-]+", "-", name).strip("-.")[:LONGEST_NAME]
    path = out or Path(f"{stem or 'dataset'}.json")
    if out is None and path.exists():
        raise UsageError(
            f"{str(path)!r} is there already.",
            remedy="Name a file with --out; that one would be replaced.",
        )
    refuse_unwritable(path, *inputs)
    return path


def _hashes(files: Iterable[Path]) -> dict[str, str]:
    """Name each file that is there with the SHA-256 of its bytes."""
    return {path.name: sha256(path) for path in files if path.is_file()}


def _written(imported: Imported, out: Path) -> ExitCode:
    write_whole(out, imported.data)
    dataset, tally = imported.dataset, imported.tally
    console = terminal()
    say(
        console,
        "data set",
        f"{dataset.name}: {tally.documents:,} documents, {tally.queries:,} queries, "
        f"{tally.judgments:,} judgments ("
        + ", ".join(
            f"grade {grade}: {amount:,}"
            for grade, amount in sorted(tally.grades.items())
        )
        + ")",
        style="bold",
    )
    for name, what in _remarks(tally):
        say(console, name, what)
    say(console, "SHA-256", dataset.sha256)
    console.print(shown(f"{'file':<16}{out}", console), soft_wrap=True)
    return ExitCode.PASSED


def _remarks(tally: Tally) -> Iterable[tuple[str, str]]:
    """Say what was changed and what was left out, each kind with its count."""
    if tally.not_relevant:
        yield "not listed", f"judgments of not relevant: {tally.not_relevant:,}"
    if tally.unjudged_queries:
        yield "left out", f"queries that nobody judged: {tally.unjudged_queries:,}"
    for name, what, ids in (
        ("left out", "queries without a relevant document", tally.irrelevant_queries),
        ("left out", "documents without a text", tally.blank_documents),
        ("not there", "queries that are judged", tally.unknown_queries),
        ("not there", "documents that are judged relevant", tally.unknown_documents),
        ("own room", "documents that repeat another's text", tally.twins),
        ("mended", "texts with characters no daemon can store", tally.mended_texts),
        ("renamed", "ids", list(tally.renamed.values())),
    ):
        if ids:
            yield name, f"{what}: {len(ids):,} ({named(ids)})"
