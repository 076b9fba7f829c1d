plain = 'it\'s "quoted" (with { brackets'
raw = r"C:\path\no\escape" if True else rb"" br'\x00'
triple = """a "quoted" word, '''other''' and a brace }
still inside # not a comment
"""
joined = ("one " 'two '
          f"{plain}"
          "three")
unicode = "日本語 🎉 \N{SNOWMAN} \u00e9"
größe, naïve, 名前 = 1, 2, 3
print(plain, raw, triple, joined, unicode, größe + naïve + 名前)
