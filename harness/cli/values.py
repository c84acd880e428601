"""What an option's or a variable's text may say, and the variables' turn."""

import argparse
import math
import os
from collections.abc import Callable
from dataclasses import dataclass

from harness.errors import UsageError


@dataclass(frozen=True)
class Variable:
    """An ``EVAL_*`` variable that speaks where its option was not given."""

    option: str
    name: str
    parse: Callable[[str], object]
    default: object


def fill_from_environment(
    arguments: argparse.Namespace, variables: tuple[Variable, ...]
) -> None:
    """Give every option that was not typed its variable's value, or its default.

    An empty variable counts as unset. A variable whose option was typed is not
    looked at, so that an option can always win over a broken environment.

    Raises:
        UsageError: A variable that is needed cannot be used; the message names it.
    """
    for variable in variables:
        if getattr(arguments, variable.option) is not None:
            continue
        text = os.environ.get(variable.name, "")
        value = variable.default
        if text:
            try:
                value = variable.parse(text)
            except argparse.ArgumentTypeError as error:
                raise UsageError(
                    f"{variable.name}: {error}.",
                    remedy=f"Mend or unset {variable.name}.",
                ) from None
        setattr(arguments, variable.option, value)


def whole(text: str) -> int:
    """Read a whole number from 0 to 9,999,999."""
    if not (text.isascii() and text.isdigit() and len(text) <= 7):
        message = f"{text!r} is not a whole number from 0 to 9999999"
        raise argparse.ArgumentTypeError(message)
    return int(text)


def positive(text: str) -> int:
    """Read a whole number from 1 to 9,999,999."""
    number = whole(text)
    if number < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is less than 1")
    return number


def port(text: str) -> int:
    """Read a TCP port; 0 asks for any free one."""
    if not (text.isascii() and text.isdigit() and int(text[:6]) <= 65535):
        raise argparse.ArgumentTypeError(f"{text!r} is not a port from 0 to 65535")
    return int(text)


def threshold(text: str) -> float:
    """Read the loss beyond which a metric fails: finite, and not negative."""
    try:
        # Python reads "1_0" as ten; whoever writes that means something else.
        value = math.nan if "_" in text else float(text)
    except ValueError:
        value = math.nan
    if not (math.isfinite(value) and value >= 0):
        message = f"{text!r} is not a finite number of at least 0"
        raise argparse.ArgumentTypeError(message)
    return value
