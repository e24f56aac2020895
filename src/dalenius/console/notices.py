"""What is said on the error stream before the work, held until there is work: an error stands alone."""

from __future__ import annotations

import typer


class Notices:
    """Sentences that are said when a long attack starts, or else when it has ended; never before an error.

    Examples
    --------
    >>> notices = Notices()
    >>> notices.hold("The releases are of 2 dates.")
    """

    def __init__(self) -> None:
        self._held: list[str] = []

    def hold(self, sentence: str) -> None:
        """Keep a sentence for later."""
        self._held.append(sentence)

    def say(self, sentence: str) -> None:
        """Say a sentence, after all that were held."""
        self.hold(sentence)
        self.release()

    def release(self) -> None:
        """Say what was held; on the error stream, since the result repeats it."""
        for sentence in self._held:
            typer.echo(sentence, err=True)
        self._held.clear()
