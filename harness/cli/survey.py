"""What a dry run prints: what there is to measure, and what embedding it would cost."""

from harness.dataset.longmemeval.releases import FileFacts
from harness.measure.longmemeval.survey import Survey
from harness.provider.batches import ASCII_PER_TOKEN
from harness.provider.plan import Estimate
from harness.report.layout import say, terminal
from harness.report.longmemeval_tables import HASH_DIGITS
from harness.units import size


def print_survey(file: FileFacts, found: Survey, cost: Estimate) -> None:
    """Print the counts of a file, and the tokens that a model would be sent.

    Args:
        file: Which file.
        found: What is in it.
        cost: Of embedding all of it, were nothing in the cache.
    """
    console = terminal()
    say(
        console,
        "longmemeval",
        f"{file.name}, {size(file.size)}, sha256 {file.sha256[:HASH_DIGITS]}, "
        f"{file.release or f'no known release, {file.layout} layout'}",
    )
    reasons = ", ".join(f"{n} {why}" for why, n in sorted(found.unscored.items()))
    say(
        console,
        "questions",
        f"{found.questions:,} read, {found.asked:,} to ask, {found.scored:,} to score"
        f"{f'; left out: {reasons}' if reasons else ''}",
    )
    say(
        console,
        "texts",
        f"{found.sessions:,} sessions; {found.documents:,} documents to write, "
        f"{found.blank:,} blank; {found.characters:,} characters",
    )
    say(console, "requests", f"{found.requests:,} to write them")
    say(
        console,
        "with a model",
        f"{cost.tokens:,} tokens in {cost.requests:,} requests: {cost.texts:,} texts, "
        f"each different one once; {cost.oversize:,} are too long for it",
        f"an estimate: a token for each {ASCII_PER_TOKEN} ASCII characters begun, and "
        "for each other character; with nothing in the cache, and one worker",
    )
