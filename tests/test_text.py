from __future__ import annotations

from projector.text import line_and_column, preview, printable, shorten


def test_control_characters_are_escaped() -> None:
    assert printable("a\nb\x1b[31m") == "a\\nb\\x1b[31m"
    assert printable("Käse 東京\u3000[bold]") == "Käse 東京\u3000[bold]"


def test_long_text_is_cut() -> None:
    assert shorten("abcdef", 6) == "abcdef"
    assert shorten("abcdefg", 6) == "abc..."
    assert preview("a\nb") == r"'a\nb'"
    assert len(preview("a" * 100)) == 80


def test_lines_and_columns_count_from_1() -> None:
    assert [line_and_column("ab\n\nc", i) for i in range(6)] == [(1, 1), (1, 2), (1, 3), (2, 1), (3, 1), (3, 2)]
