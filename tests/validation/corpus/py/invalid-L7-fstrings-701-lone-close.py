import datetime as dt

names = ["ada", "grace"]
width, precision = 12, 3
value = 3.14159
print(f"{names[0]!r} {f"{names[1].upper()}"} {'\n'.join(names)}")
print(f"{value:{width}.{precision}f}|{value=!s:>10}|{literal}}")
query = f"""
SELECT *
FROM users
WHERE name IN ({", ".join(f"'{n}'" for n in names)})
  AND created > '{dt.datetime.now():%Y-%m-%d %H:%M}'
"""
nested = f"{
    value  # a comment
}"
raw = rf"\d+{value}\w"
debug = f"{names = } {(lambda x: x * 2)(4)}"
both = f"{'a' if value > 3 else 'b'}{ {'k': 1}['k'] }{ {n for n in names} }"
concat = ("one " f"{value} "
          r"two\n" if False else "x")
