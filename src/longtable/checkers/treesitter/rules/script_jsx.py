"""JSX: closing tags, attributes, comments; and what its tags make impossible."""

from tree_sitter import Node

from longtable.checkers.findings import Finding
from longtable.checkers.treesitter.rules.walk import Enter, has_child, text_of
from longtable.checkers.treesitter.source import Source


class Jsx:
    def __init__(self, source: Source, found: list[Finding]) -> None:
        self.source = source
        self.found = found
        self.enter: dict[str, Enter] = {
            "jsx_element": self._element,
            "jsx_opening_element": self._attributes,
            "jsx_self_closing_element": self._attributes,
            "jsx_attribute": self._attribute,
            "html_comment": self._comment,
        }

    def _element(self, node: Node) -> None:
        opening, closing = node.child_by_field_name("open_tag"), node.child_by_field_name("close_tag")
        if opening is None or closing is None:
            return
        names = [text_of(tag.child_by_field_name("name")) for tag in (opening, closing)]
        if names[0] != names[1]:
            line, _ = self.source.place(opening.start_byte)
            message = f"closing tag </{names[1]}> does not match <{names[0]}> (line {line})"
            self.found.append(self.source.finding(message, closing.start_byte, closing.end_byte))

    def _attributes(self, node: Node) -> None:
        for child in node.named_children:
            if child.type == "jsx_expression" and not has_child(child, "spread_element"):
                message = "an attribute in braces must be spread: {...value}"
                self.found.append(self.source.finding(message, child.start_byte, child.end_byte))

    def _attribute(self, node: Node) -> None:
        value = node.named_children[-1] if node.named_children else None
        if value is None or value.type != "jsx_expression":
            return
        if all(child.type == "comment" for child in value.named_children):
            self.found.append(self.source.finding("an attribute needs a value", value.start_byte, value.end_byte))

    def _comment(self, node: Node) -> None:
        if node.parent is not None and node.parent.type == "jsx_element":
            at = node.start_byte + text_of(node).find("<!--")
            self.found.append(self.source.finding("'<!--' is no comment in JSX; write {/* ... */}", at))


class GenericArrows:
    """`<T>(a: T) => a` begins with a tag where there are tags; `<T,>` does not."""

    def __init__(self, source: Source, found: list[Finding]) -> None:
        self.source = source
        self.found = found
        self.enter: dict[str, Enter] = {"arrow_function": self._arrow}

    def _arrow(self, node: Node) -> None:
        parameters = node.child_by_field_name("type_parameters")
        if parameters is None or has_child(node, "async") or has_child(parameters, ","):
            return
        only = parameters.named_children[0] if parameters.named_children else None
        if only is not None and all(child.type in ("type_identifier", "const") for child in only.children):
            name = text_of(only)
            message = f"<{name}> is read as a tag here; write <{name},>"
            self.found.append(self.source.finding(message, parameters.start_byte, parameters.end_byte))
