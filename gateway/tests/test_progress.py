"""Progress of a long command: one line that is drawn over on a terminal, plain lines elsewhere."""

from io import StringIO

from django.core.management.base import OutputWrapper

from gateway.management.progress import Progress


class Terminal(StringIO):
    def isatty(self) -> bool:
        return True


def test_bar_stays_on_its_line_under_a_command_and_lines_come_above_it() -> None:
    terminal = Terminal()

    with Progress(OutputWrapper(terminal), "orders", 2) as progress:
        progress.advance(1)
        progress.say("one differs")
        progress.advance(1)

    lines = terminal.getvalue().split("\n")
    assert len(lines) == 3
    assert lines[0].split("\r")[-1] == "one differs\x1b[K"
    assert lines[1].split("\r")[-1].startswith("orders ██████████████████████████████ 2 of 2, ")
    assert lines[2] == ""


def test_without_a_total_it_counts() -> None:
    terminal = Terminal()

    with Progress(terminal, "rows") as progress:
        progress.advance(1234)

    assert terminal.getvalue().split("\r")[-1].startswith("rows 1,234, ")


def test_elsewhere_lines_are_plain() -> None:
    output = StringIO()

    with Progress(output, "orders", 2) as progress:
        progress.advance(2)
        progress.say("one differs")

    assert output.getvalue() == "one differs\n"
