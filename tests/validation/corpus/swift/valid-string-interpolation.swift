let name = "Ada"
let items = ["a": 1]
let text = "Hello \(name), \(items["a"] ?? 0) and \(name.isEmpty ? "none" : "some \(name.count)")"
let multi = """
    {"name": "\(name)", "quote": "}"}
    line \
    continued
    """
let raw = #"no \(interpolation) "quotes" here but \#(name)"#
let emoji = "日本語 🎉 \u{1F600} \"q\""
print(text, multi, raw, emoji)
