"""What a verdict says first, for every face of it."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence

from harness.errors import ExitCode
from harness.judge.demands import Finding
from harness.judge.gate import GateVerdict
from harness.judge.statistics.policy import Judgement
from harness.judge.statistics.verdict import Verdict, Word
from harness.judge.statistics.wording import of_verdict
from harness.judge.wording import of_change, of_difference, of_one_sided
from harness.report.faces.standing import MOST, Kind, Standing
from harness.report.layout import count, listed

KINDS: Mapping[Word, Kind] = {
    "same": "good",
    "better": "good",
    "worse": "bad",
    "inconclusive": "warn",
    "not comparable": "bad",
}


def judgement_title(judgement: Judgement) -> str:
    """Say how it ended under the policy, in a few words."""
    code = judgement.exit_code
    if code is ExitCode.NOTHING_MEASURED:
        return "Not comparable"
    word = judgement.word or "no statistics"
    if judgement.comparison.broken:
        return f"Failed, new is broken; statistics: {word}"
    end = "Passed" if code is ExitCode.PASSED else "Failed"
    if judgement.policy == "floor" and judgement.word is not None:
        return f"{end} by the floor rule; statistics: {word}"
    return f"{end}: {word}"


def judgement_headline(judgement: Judgement) -> str:
    """Count what was compared, and name the rule that decided."""
    comparison = judgement.comparison
    text = (
        f"{count(len(comparison.changes), 'metric')} compared, "
        f"{count(len(comparison.regressions), 'loss')} beyond "
        f"{comparison.threshold:g}. Policy: {judgement.policy}."
    )
    return text.replace("losss", "losses")


def judgement_standings(judgement: Judgement) -> list[Standing]:
    """List what keeps the two apart, what is missing or broken, and every verdict."""
    comparison = judgement.comparison
    found: list[Standing] = []
    if comparison.differences:
        reasons = tuple(of_difference(item) for item in comparison.differences)
        text = "What changed below judges nothing."
        found.append(Standing("bad", "Not comparable.", text, reasons))
    if not comparison.changes:
        found.append(
            Standing("bad", "Nothing compared.", "No metric is on both sides.")
        )
    if comparison.missing:
        lines = tuple(map(of_one_sided, comparison.missing))[:MOST]
        text = f"{len(comparison.missing):,} in base and not in new."
        found.append(Standing("bad", "Missing.", text, lines))
    if comparison.broken:
        text = f"{count(len(comparison.broken), 'statement')} of new."
        found.append(Standing("bad", "Broken.", text, _most(comparison.broken)))
    if comparison.base.broken:
        text = "It fails nothing here."
        lines = _most(comparison.base.broken)
        found.append(Standing("warn", "Base is broken.", text, lines))
    if not comparison.differences:
        found += _verdicts(judgement)
    if judgement.regressions:
        lines = tuple(map(of_change, judgement.regressions))[:MOST]
        text = f"{len(judgement.regressions):,} beyond {comparison.threshold:g}"
        text += f"; the worst {MOST}:" if len(judgement.regressions) > MOST else ":"
        found.append(Standing("bad", "Losses that fail.", text, lines))
    if judgement.unjudged and judgement.policy != "floor":
        text = (
            f"{len(judgement.unjudged):,} losses of other metrics or categories beyond "
            f"{comparison.threshold:g} fail nothing under this policy."
        )
        found.append(Standing("warn", "Not judged.", text))
    return found


def gate_standings(verdict: GateVerdict) -> list[Standing]:
    """List what fails, what is worth saying, and what was looked at."""
    groups: dict[str, list[Finding]] = defaultdict(list)
    for finding in verdict.findings:
        groups[finding.code].append(finding)
    found = [_of_findings(code, findings) for code, findings in groups.items()]
    if verdict.passed:
        found.append(Standing("good", "Gate passed.", " ".join(verdict.evidence)))
    else:
        found.append(Standing("warn", "Looked at.", " ".join(verdict.evidence)))
    return found


def _most(statements: Sequence[str]) -> tuple[str, ...]:
    more = len(statements) - MOST
    lines = tuple(statements[:MOST])
    return (*lines, f"and {more:,} more") if more > 0 else lines


def _of_findings(code: str, findings: Sequence[Finding]) -> Standing:
    first = findings[0]
    word = f"{code.replace('-', ' ').capitalize()}."
    kind: Kind = "bad" if first.fails else "warn"
    lines = _most([finding.text for finding in findings])
    return Standing(kind, word, first.remedy, lines)


def _verdicts(judgement: Judgement) -> Iterator[Standing]:
    budget = judgement.comparison.threshold
    failing = {each.configuration for each in judgement.failing}
    reasons: dict[str, list[Verdict]] = defaultdict(list)
    same = [
        each.configuration
        for each in judgement.verdicts
        if each.word == "same" and not each.hangs_on_tie
    ]
    if same:
        yield Standing("good", "Same.", f"{listed(same)}.")
    for each in judgement.verdicts:
        if each.configuration in same:
            continue
        if each.word is None:
            reasons[each.reason].append(each)
            continue
        kind = "bad" if each.configuration in failing else KINDS[each.word]
        word = f"{each.word.capitalize()}."
        # The word stands before it already.
        text = of_verdict(each, budget).replace(f": {each.word}", "", 1)
        yield Standing(kind, word, text)
    for reason, members in reasons.items():
        names = listed(each.configuration for each in members)
        text = f"{names}: {reason}. The floor rule alone judges there."
        yield Standing("warn", "No statistics.", text)
