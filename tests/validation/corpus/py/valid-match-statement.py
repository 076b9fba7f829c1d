def route(event: dict[str, object]) -> str:
    match event:
        case {"type": "click", "at": (int(x), int(y)), **rest} if x > 0 and rest:
            return f"click {x},{y}"
        case {"type": "key", "key": "q" | "Q" as key}:
            return key
        case [first, *_, last] | (first, last):
            return f"{first}-{last}"
        case str() | None | True | -1 | 1.5 + 2j:
            return "simple"
        case Point(x=0, y=yy):
            return str(yy)
        case _:
            return "other"


match = {"case": 1}
match["case"] = 2
print(match)
