from dataclasses import dataclass
from enum import Enum, auto


class Op(Enum):
    ADD = auto()
    NEG = auto()


@dataclass
class Node:
    op: Op
    args: tuple


def evaluate(node, env=None):
    env = env or {}
    match node:
        case int() | float() as number:
            return number
        case str(name) if name in env:
            return env[name]
        case Node(op=Op.ADD, args=(left, right)):
            return evaluate(left, env) + evaluate(right, env)
        case Node(Op.NEG, [operand]):
            return -evaluate(operand, env)
        case {"op": "let", "bind": {**bindings}, "in": body, **rest} if not rest:
            return evaluate(body, env | bindings)
        case [first, *_, last]:
            return evaluate(first, env), evaluate(last, env)
        case -1 | 1 + 2j | None | True:
            return 0
        case _:
            raise TypeError(f"cannot evaluate {node!r}")


match = {"case": 1}
match["case"] = 2
case = match
print(match, case)
