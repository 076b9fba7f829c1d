"""Checks that the tags of HTML are complete and balanced. End tags that HTML lets one leave out may be left out."""

from dataclasses import dataclass

from longtable.checkers.findings import ENOUGH, Finding, Report
from longtable.checkers.html_tokens import HtmlFault, Tag, tokens, words
from longtable.checkers.positions import Lines

CHECKER = "html"
_VOID = words("area base br col embed hr img input link meta param source track wbr basefont bgsound frame")
_OPTIONAL = words("p li dt dd option optgroup tr td th thead tbody tfoot colgroup caption rt rp rb rtc html head body")
_MAY_LACK_START = words("html head body tbody colgroup")
_FOREIGN = frozenset(("svg", "math"))


@dataclass(frozen=True, slots=True)
class _Element:
    name: str
    offset: int


def check(text: str) -> Report:
    balance = _Balance()
    for token in tokens(text):
        balance.take(token)
        if len(balance.faults) >= ENOUGH:
            break
    balance.finish()
    lines = Lines(text)
    report = Report(checker=CHECKER)
    report.errors = [_finding(fault, lines) for fault in balance.faults[:ENOUGH]]
    report.warnings = [_finding(fault, lines, "STRUCTURE") for fault in balance.doubts[:ENOUGH]]
    return report


def _finding(fault: HtmlFault, lines: Lines, code: str = "SYNTAX_ERROR") -> Finding:
    line, column = lines.position(fault.offset)
    return Finding(fault.message, code=code, line=line, column=column)


class _Balance:
    def __init__(self) -> None:
        self.open: list[_Element] = []
        self.count: dict[str, int] = {}
        self.faults: list[HtmlFault] = []
        self.doubts: list[HtmlFault] = []
        self.strays = 0

    def take(self, token: Tag | HtmlFault) -> None:
        if isinstance(token, HtmlFault):
            self.faults.append(token)
        elif token.kind == "end":
            self._end(token)
        else:
            self._start(token)

    def _start(self, tag: Tag) -> None:
        if tag.name in _VOID:
            return
        if tag.self_closing:
            self._doubt_slash(tag)
            return
        self.open.append(_Element(tag.name, tag.offset))
        self.count[tag.name] = self.count.get(tag.name, 0) + 1

    def _doubt_slash(self, tag: Tag) -> None:
        if self._is_foreign() or tag.name in _FOREIGN or "-" in tag.name or ":" in tag.name:
            return
        message = f"HTML does not know <{tag.name}/>: browsers take it for an open <{tag.name}>"
        self.doubts.append(HtmlFault(message, tag.offset))

    def _is_foreign(self) -> bool:
        return any(self.count.get(name) for name in _FOREIGN)

    def _end(self, tag: Tag) -> None:
        if not self.count.get(tag.name):
            if tag.name not in _MAY_LACK_START:
                self._stray(tag)
            return
        index = len(self.open)
        while self.open[index - 1].name != tag.name:
            index -= 1
        self._cut(index, f"before </{tag.name}>")
        self._pop()

    def _stray(self, tag: Tag) -> None:
        message = f"</{tag.name}> closes nothing"
        inner = next((each for each in reversed(self.open) if each.name not in _OPTIONAL), None)
        if tag.name in _VOID:
            message = f"<{tag.name}> has no content, so it has no end tag"
        elif inner is not None:
            self.strays += 1
            message = f"{message}; the innermost open element is <{inner.name}>"
        self.faults.append(HtmlFault(message, tag.offset))

    def _cut(self, length: int, where: str) -> None:
        """Ends all elements from this index on; those that need an end tag lack it."""
        while len(self.open) > length:
            element = self._pop()
            if element.name not in _OPTIONAL:
                self._unclosed(element, where)

    def _pop(self) -> _Element:
        element = self.open.pop()
        self.count[element.name] -= 1
        return element

    def _unclosed(self, element: _Element, where: str) -> None:
        # An end tag that closed nothing was most likely meant for this element, and is reported already.
        if self.strays:
            self.strays -= 1
            return
        self.faults.append(HtmlFault(f"<{element.name}> is not closed {where}", element.offset))

    def finish(self) -> None:
        # What was swallowed may have closed all that is open.
        if any(fault.swallows for fault in self.faults):
            return
        self._cut(0, "at the end of the text")
