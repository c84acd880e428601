"""BEIR folders: ``corpus.jsonl``, ``queries.jsonl`` and ``qrels/<split>.tsv``."""

from collections.abc import Iterable
from pathlib import Path

from harness.dataset.exchange.judgments import Judgments, QrelsBuilder, score
from harness.dataset.exchange.lines import Line, read_lines
from harness.dataset.exchange.texts import Text, read_texts
from harness.dataset.jsonfile import display
from harness.dataset.place import Place, shown

HEADER = ("query-id", "corpus-id", "score")
"""The columns of a BEIR qrels file, in any order: the first line names them."""


def read_beir_corpus(folder: Path) -> Iterable[Text]:
    """Yield the documents of a BEIR folder: title and text, joined by a blank."""
    return read_texts(_member(folder, "corpus.jsonl"))


def read_beir_queries(folder: Path) -> Iterable[Text]:
    """Yield the queries of a BEIR folder, of every split."""
    return read_texts(_member(folder, "queries.jsonl"))


def read_beir_qrels(folder: Path, split: str) -> Judgments:
    """Read the judgments of one split of a BEIR folder.

    Raises:
        DatasetError: There is no such split, naming those there are; or naming the
            file and line where the judgments are malformed.
    """
    path = beir_files(folder, split)[2]
    if not path.is_file():
        there = sorted(each.stem for each in (folder / "qrels").glob("*.tsv"))
        raise Place(display(folder)).refuse(
            f"the folder has no {shown(f'qrels/{split}.tsv')}.",
            f"Choose a split with --split; there are: {', '.join(there) or 'none'}.",
        )
    lines = read_lines(path)
    first = next(lines, None)
    if first is None or set(first.columns()) != set(HEADER):
        place = Place(display(path)) if first is None else first.place
        raise place.refuse(
            f"found {shown(first and first.text)}, wanted the header "
            f"{' '.join(HEADER)}.",
            "Without it the first judgment would be lost. Files of TREC's four columns "
            "are read by `harness import trec` and `harness score`.",
        )
    return beir_judgments(first, lines, path)


def beir_judgments(header: Line, lines: Iterable[Line], path: Path) -> Judgments:
    """Read the judgments below a header, whichever order it gives the columns."""
    names = header.columns()
    judged = QrelsBuilder()
    for line in lines:
        # An id may hold blanks, but no tab.
        found = [each.strip() for each in line.text.split("\t")]
        if len(found) != len(names) or not all(found):
            raise line.place.refuse(
                f"found {len(found)} columns, wanted {len(names)}, parted by tabs.",
                f"Write them as the header names them: {' '.join(names)}.",
            )
        row = dict(zip(names, found, strict=True))
        number = score(line.place, row["score"])
        judged.add(line.place, row["query-id"], row["corpus-id"], number)
    found_any = judged.judgments()
    if not found_any.scores:
        raise Place(display(path)).refuse(
            "found no judgments.", "A header alone judges nothing: take another split."
        )
    return found_any


def beir_files(folder: Path, split: str) -> tuple[Path, Path, Path]:
    """Return where corpus, queries and judgments of a BEIR folder lie."""
    return (
        folder / "corpus.jsonl",
        folder / "queries.jsonl",
        folder / "qrels" / f"{split}.tsv",
    )


def _member(folder: Path, name: str) -> Path:
    if not folder.is_dir():
        raise Place(display(folder)).refuse(
            "there is no such folder.", "Name the folder that holds corpus.jsonl."
        )
    path = folder / name
    if not path.is_file():
        raise Place(display(folder)).refuse(
            f"the folder has no {shown(name)}.",
            "A BEIR folder holds corpus.jsonl, queries.jsonl and qrels/: unpack it, "
            "and name the folder they lie in.",
        )
    return path
