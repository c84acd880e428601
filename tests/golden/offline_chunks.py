"""Two plain ways of cutting a text into fragments, to hold the daemon's against.

Sizes are in characters. `by_separators` is the rule that the public bench describes;
`by_windows` is the simplest thing there is, and shows what does not hinge on the rule.
"""

SIZE = 1750
OVERLAP = 350

SEPARATORS = ("\n\n", "\n", " ", "")


def by_windows(text: str, size: int = SIZE, overlap: int = OVERLAP) -> list[str]:
    """Cut every *size* - *overlap* characters, wherever that is."""
    step = size - overlap
    last = max(1, -(-(len(text) - overlap) // step))
    return [text[at * step : at * step + size] for at in range(last)]


def by_separators(
    text: str,
    size: int = SIZE,
    overlap: int = OVERLAP,
    separators: tuple[str, ...] = SEPARATORS,
) -> list[str]:
    """Cut at blank lines, then line breaks, then spaces, then anywhere.

    A separator stays with the piece after it. Pieces are joined again up to *size*,
    and the next fragment repeats whole pieces of at most *overlap* characters.
    """
    at = next(i for i, each in enumerate(separators) if not each or each in text)
    separator, finer = separators[at], separators[at + 1 :]
    fragments: list[str] = []
    fitting: list[str] = []
    for piece in _pieces(text, separator):
        if len(piece) <= size:
            fitting.append(piece)
            continue
        fragments += _joined(fitting, size, overlap)
        fitting = []
        fragments += by_separators(piece, size, overlap, finer)
    return fragments + _joined(fitting, size, overlap)


def _pieces(text: str, separator: str) -> list[str]:
    if not separator:
        return list(text)
    first, *rest = text.split(separator)
    return [piece for piece in (first, *(separator + each for each in rest)) if piece]


def _joined(pieces: list[str], size: int, overlap: int) -> list[str]:
    fragments: list[str] = []
    current: list[str] = []
    for piece in pieces:
        if current and sum(map(len, current)) + len(piece) > size:
            fragments.append("".join(current))
            while current and (
                sum(map(len, current)) > overlap
                or sum(map(len, current)) + len(piece) > size
            ):
                current.pop(0)
        current.append(piece)
    if current:
        fragments.append("".join(current))
    return [fragment.strip() for fragment in fragments if fragment.strip()]
