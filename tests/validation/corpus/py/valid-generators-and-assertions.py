def walk(tree):
    """Yield each node: {not a format}."""
    if tree is None:
        return
    yield tree
    yield from (child for child in tree.children)
    received = yield
    assert received, ("a message", received)
    while received := (yield received): continue


print([*walk(None)], (yielded := 1), type(walk), end="")
raise SystemExit(0) from None
