"""Ruby: an `end` too many, here-documents without an end, parameters of one name, commas that are missing."""

from tree_sitter import Node, Tree

from longtable.checkers.findings import Finding
from longtable.checkers.source import Source, shown
from longtable.checkers.treesitter.names import words
from longtable.checkers.treesitter.rules.walk import Enter, parent_kind, text_of, walk

_BODIES = words("program body_statement then else ensure rescue do block_body begin_block")
_WORDS = words("end else elsif when ensure then")
_VARIABLES = ("instance_variable", "class_variable", "global_variable")
_METHODS = ("method", "singleton_method")
_OWNERS = (*_METHODS, "class", "module", "singleton_class")
_PARAMETERS = ("method_parameters", "lambda_parameters", "block_parameters")


class _Ruby:
    def __init__(self, source: Source) -> None:
        self.source = source
        self.found: list[Finding] = []
        self.heredocs: list[Node] = []
        self.enter: dict[str, Enter] = {
            "identifier": self._name,
            "heredoc_beginning": self.heredocs.append,
            "heredoc_body": self._heredoc,
            "array": self._array,
            "assignment": self._assignment,
            "call": self._call,
            **dict.fromkeys(_PARAMETERS, self._parameters),
        }

    def _name(self, node: Node) -> None:
        word = text_of(node)
        if word in _WORDS and parent_kind(node) in _BODIES:
            message = f"unexpected '{word}'; nothing is open that it could belong to"
            self.found.append(self.source.finding(message, node.start_byte, node.end_byte))

    def _array(self, node: Node) -> None:
        """What is called with arguments inside of brackets needs parentheses; a comma was meant."""
        for child in node.named_children:
            arguments = child.child_by_field_name("arguments") if child.type == "call" else None
            if arguments is not None and not text_of(arguments).startswith(("(", "[")):
                self.found.append(self.source.finding("missing ','", arguments.start_byte))

    def _assignment(self, node: Node) -> None:
        left = node.child_by_field_name("left")
        around = node.parent
        while around is not None and around.type not in _OWNERS:
            around = around.parent
        if left is not None and left.type == "constant" and around is not None and around.type in _METHODS:
            message = f"'{text_of(left)}' is a constant and cannot be assigned in a method"
            self.found.append(self.source.finding(message, left.start_byte, left.end_byte))

    def _call(self, node: Node) -> None:
        method = node.child_by_field_name("method")
        if method is not None and method.type in _VARIABLES and node.child_by_field_name("receiver") is None:
            what = text_of(node.child_by_field_name("arguments"))
            self.found.append(self.source.finding(f"unexpected {shown(what)}", method.end_byte))

    def _heredoc(self, node: Node) -> None:
        beginning = self.heredocs.pop(0) if self.heredocs else node
        ends = [child for child in node.children if child.type == "heredoc_end"]
        if not ends or ends[-1].start_byte == ends[-1].end_byte:
            message = f"the here-document {text_of(beginning)} is never ended"
            self.found.append(self.source.finding(message, beginning.start_byte, beginning.end_byte))

    def _parameters(self, node: Node) -> None:
        seen: set[str] = set()
        for child in node.named_children:
            name = child if child.type == "identifier" else child.child_by_field_name("name")
            text = text_of(name)
            if name is not None and text in seen and not text.startswith("_"):
                message = f"'{text}' is the name of two parameters"
                self.found.append(self.source.finding(message, name.start_byte, name.end_byte))
            seen.add(text)


def check_ruby(source: Source, tree: Tree) -> list[Finding]:
    ruby = _Ruby(source)
    walk(tree, ruby.enter)
    return ruby.found
