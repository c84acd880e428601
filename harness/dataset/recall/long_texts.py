"""What the long documents say: passages to find, near misses, and a harbour's days.

All of it was written for this slice. No word of a query stands in the prose around it.
"""

from typing import NamedTuple


class Passage(NamedTuple):
    """A question of four telling words, its answer, and a near miss."""

    query: str
    answer: str
    """Has all four words: two at its beginning, two at its end."""
    miss: str
    """Has three of them, close together, and answers nothing."""


PASSAGES = (
    Passage(
        "spare key lantern barometer",
        "A spare key is kept for the night when nobody can find the first one; whoever "
        "comes late should look on the wall of the small room upstairs, where it hangs "
        "between the old lantern and the barometer.",
        "Someone lost a spare key and broke the barometer.",
    ),
    Passage(
        "violin repair invoice Helsinki",
        "The violin came back from its repair on the second day of the month, wrapped "
        "in a blanket and none the worse for the journey; what is still open is the "
        "sum, for which an invoice arrived from Helsinki.",
        "An invoice for a repair came from Helsinki.",
    ),
    Passage(
        "beehive inspection allergic nephew",
        "The beehive is due for its inspection before the first warm weekend, and it "
        "should be done early in the day while it is still cool; please keep away the "
        "youngest guest, for he is our nephew and allergic.",
        "An allergic nephew stayed away from the beehive.",
    ),
    Passage(
        "sourdough starter freezer label",
        "Her sourdough depends on the starter which she has fed every day for eleven "
        "years, and which has outlived two kitchens and a flood; a second jar of it is "
        "in the freezer, and there is a blue label.",
        "The sourdough starter has got a label.",
    ),
    Passage(
        "telescope mirror aluminium workshop",
        "The telescope has a mirror that went dull in the damp of last autumn, so that "
        "even the moon looked as if seen through milk; it will be given a fresh "
        "coat of aluminium at the university workshop.",
        "A telescope and a mirror left the workshop.",
    ),
    Passage(
        "passport renewal consulate fingerprints",
        "For the passport one has to ask for a renewal at least ten weeks before the "
        "journey, and to bring two photographs that are not older than half a year; in "
        "person at the consulate they will take fingerprints.",
        "The consulate did the renewal of a passport.",
    ),
    Passage(
        "orchard irrigation valve rusted",
        "The orchard has had no irrigation since the middle of the dry weeks, and the "
        "young trees along the fence begin to drop their leaves; the trouble is not "
        "the pump, as we feared, but a valve that has rusted.",
        "A rusted valve was found in the orchard.",
    ),
    Passage(
        "wedding speech uncle postponed",
        "The wedding needs a speech which is short, kind and free of stories about the "
        "boat, and which can be heard at the far end of the garden without a "
        "microphone; if he is ill again, our uncle wants it postponed.",
        "An uncle postponed his speech.",
    ),
    Passage(
        "chimney sweep certificate insurance",
        "The chimney has to be seen by the sweep twice in each winter, once before the "
        "frost and once after it, and he comes without being told; keep what he signs, "
        "since his certificate is wanted by the insurance.",
        "The insurance wants a certificate for a chimney.",
    ),
    Passage(
        "marathon ankle physiotherapist Thursday",
        "The marathon is out of the question until the ankle can bear a whole hour on "
        "hard ground without swelling, however bravely he talks about it at breakfast; "
        "he is to see the physiotherapist on Thursday.",
        "A physiotherapist looked at an ankle on Thursday.",
    ),
    Passage(
        "aquarium heater thermostat eighteen",
        "The aquarium got a new heater when the old one began to hum, and since then "
        "the fish have been lively and the glass has stayed clear; should they hide "
        "again, set the thermostat no lower than eighteen.",
        "The heater has a thermostat and says eighteen.",
    ),
    Passage(
        "choir programme Monteverdi printer",
        "The choir wants its programme on thick paper this year, folded once, with the "
        "names of all singers on the back and none of them forgotten; only the line on "
        "Monteverdi is missing before it goes to the printer.",
        "The choir sang Monteverdi without a programme.",
    ),
)

# Prose is made of these, as a log is kept: who, did what, to what, when or how.
SUBJECTS = """
harbour master|old pilot|ferry crew|fishmonger|cook|boy with cart|lightkeeper
two sailors|tall captain|customs clerk|ropemaker|crane driver|widow next door
night watch|dredger mate|tug engineer|sailmaker|chandler|stoker|boatswain
lock keeper|pastor|grocer|apprentice|surveyor|diver|midwife|smith|purser|baker
""".replace("\n", "|")
VERBS = """
painted|carried|counted|washed|forgot|praised|sold|mended|watched|borrowed|moved|weighed
covered|described|searched|cleaned|lifted|emptied|inspected|measured|greased|tied up
bought|hid|photographed|followed|burned|dragged|untangled|repainted|blamed|recognised
""".replace("\n", "|")
OBJECTS = """
herring barrels|eastern pier|three crates of oranges|broken crane|blue boat|tide table
heap of coal|longest rope|every anchor|signal flag|forty sacks of flour|grey sails
fog bell|lock bridge|empty cask|lead line|winch|capstan|gangway|rudder chain|oil drum
cod liver|ship's cat|brass compass|wet blankets|sounding pole|pilot ladder|customs shed
shrimp baskets|ballast|keel blocks|mooring buoy|chart table|pine planks|pitch kettle
""".replace("\n", "|")
MANNERS = """
before sunrise|with great care|while rain fell|as usual|without a word|behind warehouse
until tide turned|for good money|after last gale|against advice|with cold hands
and went home|and said nothing|at noon|in thick fog|by lamplight|once more|in vain
under protest|near breakwater|for nobody's sake|on Monday|despite swell|till dusk|twice
""".replace("\n", "|")
