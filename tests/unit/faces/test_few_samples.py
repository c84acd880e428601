"""Percentiles of too few samples stay out of every face, as out of the terminal."""

import pytest

from harness.report.faces.html import report_page
from harness.report.faces.markdown import report_markdown
from tests.builders import a_configuration, a_latency, a_report


@pytest.mark.parametrize(("samples", "is_told"), [(4, False), (100, True)])
def test_markdown_leaves_out_percentiles_of_few_samples(
    samples: int, *, is_told: bool
) -> None:
    latency = a_latency(2.0, samples=samples)
    service = latency.service.model_copy(update={"p95_ms": 43.21, "p99_ms": 54.32})
    latency = latency.model_copy(update={"service": service})
    text = report_markdown(a_report(a_configuration(latency=latency))).decode()
    assert ("43.21" in text, "54.32" in text) == (is_told, is_told)


def test_page_leaves_out_the_99th_percentile_of_few_samples() -> None:
    latency = a_latency(2.0, samples=4)
    service = latency.service.model_copy(update={"p99_ms": 54.32})
    latency = latency.model_copy(update={"service": service})
    page = report_page([a_report(a_configuration(latency=latency))]).decode()
    assert ">54.32<" not in page
