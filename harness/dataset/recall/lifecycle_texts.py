"""Notes that are repeated, rewritten and deleted; all were written for this slice."""

from typing import NamedTuple


class Theme(NamedTuple):
    """Five notes on one matter, and a sixth that a query is nearest to."""

    query: str
    nearest: str
    """Has every word of the query: what must go."""
    others: tuple[str, ...]
    """Each has the two words of the matter: what must come when the nearest is gone."""


class Rewriting(NamedTuple):
    """What the nearest note of a theme says afterwards, and a query for that.

    It touches the next theme with a single word: near enough that the notes there take
    its place if it cannot be found, and too far to take theirs.
    """

    query: str
    text: str


REWRITTEN = (
    Theme(
        "ferry timetable winter nights Magdalena",
        "Magdalena keeps the ferry timetable for winter nights",
        (
            "the ferry timetable hangs beside the ticket window",
            "our ferry timetable changes in April",
            "please print a ferry timetable for the guests",
            "this ferry timetable forgets the small island",
            "nobody reads the ferry timetable on the wall",
        ),
    ),
    Theme(
        "garage roof solar panels Bertil",
        "Bertil puts solar panels on the garage roof",
        (
            "the garage roof leaks above the bicycles",
            "moss grows all over the garage roof",
            "a ladder leans against the garage roof",
            "our cat sleeps on the garage roof",
            "snow slid off the garage roof",
        ),
    ),
    Theme(
        "piano lesson cancelled Wednesday flu",
        "the piano lesson on Wednesday is cancelled, flu again",
        (
            "a piano lesson lasts fifty minutes",
            "she was late for her piano lesson",
            "take the blue book to the piano lesson",
            "his first piano lesson was a disaster",
            "we moved the piano lesson upstairs",
        ),
    ),
    Theme(
        "bread oven temperature rye 240",
        "rye goes into the bread oven at a temperature of 240",
        (
            "the bread oven takes an hour to warm up",
            "sweep the bread oven when it is cold",
            "we built a bread oven behind the shed",
            "the bread oven needs dry beech",
            "bricks for the bread oven came by boat",
        ),
    ),
)

REWRITINGS = (
    Rewriting("Leopold insures roof", "Leopold now insures every roof in the street"),
    Rewriting("piano tuner Brno", "a piano tuner from Brno comes in March"),
    Rewriting("gluten free bread Sunday", "gluten free bread is sold out by Sunday"),
    Rewriting("ferry whistle frightens geese", "the ferry whistle frightens our geese"),
)
"""One a theme of `REWRITTEN`, in its order; each touches the theme after its own."""

DELETED = (
    Theme(
        "cellar door code 7391",
        "the code of the cellar door is 7391",
        (
            "the cellar door squeaks in wet weather",
            "paint the cellar door green",
            "somebody left the cellar door open",
            "a draught comes under the cellar door",
            "the cellar door opens inwards",
        ),
    ),
    Theme(
        "swimming pool birthday party Agnes",
        "Agnes has her birthday party at the swimming pool",
        (
            "the swimming pool is closed for repairs",
            "bring a towel to the swimming pool",
            "the swimming pool smells of chlorine",
            "lockers at the swimming pool take coins",
            "we met at the swimming pool",
        ),
    ),
    Theme(
        "tax letter deadline accountant",
        "the tax letter has a deadline, ask the accountant",
        (
            "another tax letter came this morning",
            "file the tax letter under income",
            "the tax letter has four pages",
            "a tax letter lay on the doormat",
            "nobody understands this tax letter",
        ),
    ),
)

NOTICES = (
    ("lost umbrella", "a lost umbrella waits at the front desk"),
    ("fire drill", "the fire drill begins at eleven sharp"),
    ("broken lift", "the broken lift stays out of use until Friday"),
    ("spare chairs", "spare chairs are stacked behind the stage"),
)
"""Query and text of notes that are written again, and copied under other names."""
