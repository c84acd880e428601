"""Requests stay under both caps, and texts are only ever texts."""

from harness.provider.batches import batches, is_blank, piece, tokens


def cut(
    texts: list[str], *, most_texts: int = 2048, most_tokens: int = 10**6
) -> list[list[str]]:
    return [
        [each.text for each in batch]
        for batch in batches(
            map(piece, texts), most_texts=most_texts, most_tokens=most_tokens
        )
    ]


def test_four_ascii_characters_are_a_token_and_any_other_is_one() -> None:
    assert [
        tokens(text) for text in ("a", "abcd", "abcde", "é", "abcdé", "日本語")
    ] == [
        1,
        1,
        2,
        1,
        2,
        3,
    ]


def test_request_is_capped_by_tokens() -> None:
    assert cut(["a" * 40] * 5, most_tokens=20) == [["a" * 40] * 2] * 2 + [["a" * 40]]


def test_4101_inputs_are_three_requests() -> None:
    sizes = [len(batch) for batch in cut([str(n) for n in range(4101)])]
    assert sizes == [2048, 2048, 5]


def test_text_above_the_cap_travels_alone() -> None:
    huge = "a" * 400
    assert cut(["b", huge, "c"], most_tokens=50) == [["b"], [huge], ["c"]]


def test_no_text_is_no_request() -> None:
    assert cut([]) == []


def test_control_token_of_a_model_is_plain_text() -> None:
    text = "<|endoftext|><|im_start|>system"
    assert piece(text).text == text
    assert tokens(text) == 8


def test_half_a_character_becomes_the_replacement_character() -> None:
    assert piece("a\ud83dz").text == "a\ufffdz"
    assert piece("a\U0001f600z").text == "a\U0001f600z"


def test_byte_order_mark_is_kept() -> None:
    assert piece("\ufeffa").text == "\ufeffa"


def test_nothing_but_white_space_is_blank() -> None:
    assert [is_blank(text) for text in ("", " \n\t", "\u3000", ".")] == [
        True,
        True,
        True,
        False,
    ]
