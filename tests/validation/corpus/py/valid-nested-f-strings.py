names = ["Ada", "Grace"]
width = 10
print(f"{"nested " + f"{names[0]!r:>{width}}"} and {", ".join(n.upper() for n in names)}")
print(f"{'brace {{' if names else '}}'} {{literal}} {width=:,.2f}")
print(f"""
  {  # a comment inside
    names
  }
  backslash: {"\n".join(names)}
""")
