"""Where `return`, `await`, `yield`, `break` and `continue` may stand."""

import re
from dataclasses import dataclass, field

from tree_sitter import Node

from longtable.checkers.findings import Finding
from longtable.checkers.treesitter.rules.walk import Enter, Leave, has_child, text_of
from longtable.checkers.treesitter.source import Source

FUNCTIONS = (
    "function_declaration",
    "function_expression",
    "arrow_function",
    "method_definition",
    "generator_function",
    "generator_function_declaration",
)
_LOOPS = ("for_statement", "for_in_statement", "while_statement", "do_statement")
_OPERATORS = (b"(", b"[", b"+", b"-", b"/")
_COMMON = re.compile(rb"\bmodule\.exports\b|\brequire\(")
_MODULE = re.compile(rb"^(?:import|export)\b", re.MULTILINE)


@dataclass(slots=True)
class _Body:
    """A function, or the whole text; `waits` when `await` may be used."""

    returns: bool
    waits: bool
    yields: bool
    around: list[str] = field(default_factory=list)
    labels: list[str] = field(default_factory=list)


class Flow:
    def __init__(self, source: Source, found: list[Finding]) -> None:
        self.source = source
        self.found = found
        self.is_module = bool(_MODULE.search(source.data))
        self.bodies = [_Body(returns=_is_in_a_function(source), waits=True, yields=False)]
        self.enter: dict[str, Enter] = {
            **dict.fromkeys(FUNCTIONS, self._function),
            **dict.fromkeys(_LOOPS, self._loop),
            "class_static_block": self._static_block,
            "switch_statement": self._switch,
            "labeled_statement": self._label,
            "return_statement": self._return,
            "await_expression": self._await,
            "yield_expression": self._yield,
            "break_statement": self._break,
            "continue_statement": self._continue,
        }

    def _say(self, message: str, node: Node) -> None:
        self.found.append(self.source.finding(message, node.start_byte, node.end_byte))

    def _function(self, node: Node) -> Leave:
        yields = "generator" in node.type or has_child(node, "*")
        return self._inside(_Body(returns=True, waits=has_child(node, "async"), yields=yields))

    def _static_block(self, node: Node) -> Leave:
        return self._inside(_Body(returns=False, waits=False, yields=False))

    def _inside(self, body: _Body) -> Leave:
        self.bodies.append(body)
        return self._outside

    def _outside(self) -> None:
        self.bodies.pop()

    def _loop(self, node: Node) -> Leave:
        if node.type == "for_in_statement" and has_child(node, "await") and not self.bodies[-1].waits:
            self._say("'for await' in a function that is not async", node.children[1])
        return self._around("loop")

    def _switch(self, node: Node) -> Leave:
        return self._around("switch")

    def _around(self, kind: str) -> Leave:
        around = self.bodies[-1].around
        around.append(kind)

        def leave() -> None:
            around.pop()

        return leave

    def _label(self, node: Node) -> Leave:
        labels = self.bodies[-1].labels
        labels.append(text_of(node.child_by_field_name("label")))

        def leave() -> None:
            labels.pop()

        return leave

    def _return(self, node: Node) -> None:
        if not self.bodies[-1].returns:
            self._say("'return' outside of a function", node.children[0])

    def _may_be_a_name(self, node: Node) -> bool:
        """`await (x)` is a call of what is named so, outside of async functions and modules; `await x` is nothing."""
        if len(node.children) < 2:
            return True
        start = node.children[1].start_byte
        return not self.is_module and self.source.data[start : start + 1] in _OPERATORS

    def _await(self, node: Node) -> None:
        if not self.bodies[-1].waits and not self._may_be_a_name(node):
            self._say("'await' in a function that is not async", node.children[0])

    def _yield(self, node: Node) -> None:
        if not self.bodies[-1].yields and not self._may_be_a_name(node):
            self._say("'yield' in a function that is not a generator", node.children[0])

    def _break(self, node: Node) -> None:
        self._jump(node, "break", bool(self.bodies[-1].around))

    def _continue(self, node: Node) -> None:
        self._jump(node, "continue", "loop" in self.bodies[-1].around)

    def _jump(self, node: Node, word: str, fits: bool) -> None:
        label = node.child_by_field_name("label")
        if label is not None:
            if text_of(label) not in self.bodies[-1].labels:
                self._say(f"there is no label '{text_of(label)}' around this '{word}'", label)
        elif not fits:
            self._say(f"'{word}' outside of a loop" + (" or switch" if word == "break" else ""), node)


def _is_in_a_function(source: Source) -> bool:
    """Node puts a function around what it calls a CommonJS module."""
    return bool(_COMMON.search(source.data)) and not _MODULE.search(source.data)
