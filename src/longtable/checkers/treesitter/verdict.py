"""Decides whether a text is wrong, after everything that the grammar does not know has been made easy for it."""

import re
import time
from dataclasses import dataclass, replace

from tree_sitter import Tree

from longtable.checkers.source import Source
from longtable.checkers.treesitter.diagnosis import SyntaxFault, first_fault
from longtable.checkers.treesitter.gaps import candidates, closed_all_over
from longtable.checkers.treesitter.grammars import Grammar, parse
from longtable.checkers.treesitter.preprocessor import prepare, unbalanced, unknown_directive
from longtable.checkers.treesitter.strangers import without_strangers

_MOST_ROUNDS = 12
_MOST_SECONDS = 1.0
_PREPROCESSED = ("c", "cpp", "c-sharp", "swift")
_WITH_MACROS = ("c", "cpp")
_FUNCTION = re.compile(r"^[\w:<>,*& ]*\w[*& ]+[\w:~]+\([^;{}]*\)[\w\s]*\{", re.MULTILINE)
_REACH = 1_000
_MOST_EASED = 32 * 1024


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was parsed in the end, which has the lines of the text, and what is wrong with it, if anything."""

    grammar: Grammar
    source: Source
    tree: Tree
    fault: SyntaxFault | None = None
    is_unfinished: bool = False
    """Whether more could have been made easy, with more time."""


def judge(grammar: Grammar, source: Source) -> Verdict:
    with_directives = grammar.name in _PREPROCESSED and b"#" in source.data
    wrong = _wrong_directive(grammar, source) if with_directives else None
    if wrong is not None:
        return _told(grammar, source, *wrong)
    verdict = _parsed(grammar, source)
    if verdict.fault is None:
        return verdict
    return _with_help(verdict, with_directives)


def _with_help(verdict: Verdict, with_directives: bool) -> Verdict:
    grammar, source = verdict.grammar, verdict.source
    if len(source.data) > _MOST_EASED:
        closed = _parsed(grammar, Source(closed_all_over(grammar.name, source.text)))
        return closed if closed.fault is None else verdict
    return _preprocessed(grammar, source) if with_directives else _as_fragment(_eased(verdict))


def _wrong_directive(grammar: Grammar, source: Source) -> tuple[int, str] | None:
    wrong = unbalanced(source.text)
    if wrong is None:
        return unknown_directive(source.text) if grammar.name in _WITH_MACROS else None
    row, message = wrong
    # C compilers name the line of the #if, that of C# the end.
    late = grammar.name == "c-sharp" and "never" in message
    return source.row(source.last()) if late else row, message


def _as_fragment(verdict: Verdict) -> Verdict:
    """Statements of C++ without a function around them: some are read as declarations unless there is one."""
    if verdict.fault is None or verdict.grammar.name != "cpp" or _FUNCTION.search(verdict.source.text):
        return verdict
    body = b"void f(){" + verdict.source.data + b"\n}"
    if parse(verdict.grammar, body).root_node.has_error:
        return verdict
    return Verdict(verdict.grammar, verdict.source, parse(verdict.grammar, b""))


def _told(grammar: Grammar, source: Source, row: int, message: str) -> Verdict:
    at = source.offset(row, 0)
    return Verdict(grammar, source, parse(grammar, b""), SyntaxFault(source.finding(message, at), at, certain=True))


def _parsed(grammar: Grammar, source: Source) -> Verdict:
    tree = parse(grammar, source.data)
    fault = first_fault(grammar, source, tree) if tree.root_node.has_error else None
    return Verdict(grammar, source, tree, fault)


def _preprocessed(grammar: Grammar, source: Source) -> Verdict:
    verdict = _eased(_parsed(grammar, Source(prepare(grammar.name, source.text))))
    if verdict.fault is not None:
        other = _eased(_parsed(grammar, Source(prepare(grammar.name, source.text, take_last=True))))
        return other if other.fault is None else verdict
    return verdict


def _eased(verdict: Verdict) -> Verdict:
    """Takes every change that lets the parser come further, until it comes to the end or to a real fault."""
    last = time.process_time() + _MOST_SECONDS
    verdict = _tamed(verdict)
    for _ in range(_MOST_ROUNDS):
        if verdict.fault is None:
            return verdict
        if time.process_time() > last:
            break
        for text in _easier(verdict.grammar, verdict.source, verdict.fault):
            eased = _parsed(verdict.grammar, Source(text))
            if _comes_further(eased, verdict):
                verdict = eased
                break
        else:
            return verdict
    return replace(verdict, is_unfinished=verdict.fault is not None)


def _tamed(verdict: Verdict) -> Verdict:
    """A header may have a macro on every line: they are made easy all at once."""
    if verdict.grammar.name not in _WITH_MACROS:
        return verdict
    text = verdict.source.text
    tame = without_strangers(text, 0, len(text))
    eased = _parsed(verdict.grammar, Source(tame)) if tame != text else verdict
    return eased if _comes_further(eased, verdict) else verdict


def _comes_further(eased: Verdict, before: Verdict) -> bool:
    """And does not stumble over what was put there to help it."""
    if eased.fault is None or before.fault is None:
        return eased.fault is None
    at = eased.fault.blamed
    same = (
        len(eased.source.data) != len(before.source.data)
        or eased.source.data[at : at + 1] == before.source.data[at : at + 1]
    )
    return at > before.fault.blamed and same


def _easier(grammar: Grammar, source: Source, fault: SyntaxFault) -> list[str]:
    """Texts with something changed near the fault."""
    text = source.text
    row = source.row(fault.blamed)
    at = len(source.cut(0, fault.blamed))
    start, end = max(_at_line(text, row - 2), at - _REACH), min(_at_line(text, row + 2), at + _REACH)
    easier = candidates(grammar.name, text, start, end)
    if grammar.name in _WITH_MACROS:
        tame = without_strangers(text, start, end)
        easier += [tame] if tame != text else []
    if grammar.name == "kotlin" and text[at - 1 : at + 1] == " }":
        # The grammar wants a new line or a semicolon here; the language does not.
        easier.insert(0, text[: at - 1] + ";" + text[at:])
    return easier


def _at_line(text: str, row: int) -> int:
    at = 0
    for _ in range(row):
        at = text.find("\n", at) + 1
        if at == 0:
            return len(text)
    return at
