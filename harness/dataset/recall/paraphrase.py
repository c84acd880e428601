"""Questions that share parts of words with their answers, and not one whole word.

Each family is built around one short word that stands inside longer ones: *rainwater*
and *underwater* are written, *waterproof* is asked. No query shares a word, or the
Porter2 stem of one, with any document of the slice, so a keyword search finds nothing
at all, while vectors made of letters find most of it. Each family also has two
documents of look-alikes, whose letters are as near and whose matter is not: the *later*
*waiter* has no more water in him than anybody else.

The texts were invented for this slice.
"""

from harness.dataset.recall.model import RecallDocument, RecallQuery, Slice

_RELEVANT = 3

# Query, three answers, two look-alikes.
_FAMILIES = """
waterproof waterways
  rainwater filled the underwater cave
  freshwater eels crossed a watertight lock
  groundwater fed our watermill in spring
  later the waiter watched two skaters
  watchful daughters laughed at the slaughter of weeds
bookcase cookbooks
  her notebook lay on a low bookshelf
  the bookshop sells every textbook twice
  a bookworm lost his bankbook
  brooks ran past the crooked booth
  he took a booming voice to the brook
spotlight candlelight
  the lighthouse outshone every headlight
  moonlight fell through a wide skylight
  a flashlight helped the lamplighter
  slightly late she alighted with delight
  his plight was politely slighted
fireproof wildfire
  the campfire ate all our firewood
  an old fireplace kept two firefighters warm
  fireflies danced round the crossfire
  he admired an entire quagmire
  they hired the first choir for a satire
snowdrift snowstorm
  snowfall buried the last snowplough
  a snowman wore one snowshoe
  she threw a snowball at the snowboarder
  he knows no sorrow now
  nobody knowingly disowned the snout
handbag secondhand
  a firm handshake sealed the handover
  her handwriting covers this handbook
  the craft of handmade things is underhanded
  handsome merchants shunned the bandstand
  thousands of sandals landed
footsteps footwear
  one footprint stayed on the footpath
  barefoot boys play football
  a footnote mentions his foothold
  the roofer looted two footling rooms
  they foolishly rooted for the forty flutes
workload artwork
  the workshop ended before homework began
  teamwork saved a tired workforce
  our coworker sweeps the workbench
  worthy words were worn by worms
  a stork forked the cork
farmhouse household
  the greenhouse leans on a warehouse
  our housekeeper loves the dollhouse
  two houseboats passed the henhouse
  a thousand hoses doused the mouse
  hoarse voices roused the grouse
sandstone gemstone
  a milestone of limestone marks the pass
  cobblestones lead to the tombstone
  the stonemason turned one grindstone
  astonished gnomes stoned the drones
  a lonesome baritone stood on his own
whiteboard cardboard
  the blackboard hides a cupboard
  her keyboard fell overboard
  the surfboard leaned against a billboard
  boars and bards were bored aboard
  a hoarder scoured the border
cranberry gooseberries
  strawberry cream tops the blueberry pie
  a raspberry bush hides one mulberry tree
  the elderberries and blackberries are ripe
  merry ferries berthed there
  he buried the cherub very near
goldfish jellyfish
  the fisherman caught a swordfish
  a starfish lay beside the sunfish
  two fishmongers sold shellfish
  selfish finishers dished it out
  the fist of fishy wishes vanished
songbird birdwatcher
  a blackbird sat in the birdcage
  birdsong woke the jailbird
  one hummingbird drank from a birdbath
  the third girder was absurd
  weird herds stirred the curds
seahorse horsepower
  the racehorse lost a horseshoe
  on horseback she passed the packhorse
  an old workhorse chewed horseradish
  coarse remorse endorsed worse
  the horde rehearsed a hoarse verse
windscreen whirlwind
  the windmill turned before its windshield
  a windsurfer steered downwind
  windfall apples lay under the windbreak
  widows wound winding wool by a window
  the swindler dwindled
background campground
  the playground lies above an underground line
  groundnuts grow near that fairground
  a groundhog left the battleground
  grown hounds frowned all round
  the grouse drowned pounds of grout
roadworks crossroads
  the roadside inn faces a railroad
  a roadblock closed our roadway
  her roadster left the inroads
  broadcasts abroad were toadying
  a broadsword roasted the toad
overnight nightshift
  at midnight came nightfall
  the nightmare ruined one fortnight
  a nightingale wore her nightgown
  knighthood was rightly denied
  the mighty sighted delightful insights
newsletter newsroom
  the newspaper hired one newsboy
  a newscast named that newsreader
  newsagents sell newsprint
  renewed sinews never knew
  the newt chewed a newly sewn sweater
"""


def paraphrase_slice() -> Slice:
    """Make the slice: 20 queries, 60 answers, and 40 look-alikes."""
    documents: list[RecallDocument] = []
    queries: list[RecallQuery] = []
    for family, block in enumerate(_families()):
        asked, *texts = block
        ids = [f"para-{family}-{number}" for number in range(len(texts))]
        documents += map(RecallDocument, ids, texts)
        relevant = tuple(ids[:_RELEVANT])
        queries.append(
            RecallQuery(f"para-query-{family}", asked, relevant, "paraphrase")
        )
    return Slice("paraphrase", tuple(documents), tuple(queries))


def _families() -> list[list[str]]:
    lines = [line.strip() for line in _FAMILIES.strip().splitlines()]
    return [lines[start : start + 6] for start in range(0, len(lines), 6)]
