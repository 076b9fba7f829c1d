import json

with open("data.json") as f:
    data = json.load(f)
result = sorted(data, key=lambda d: d["id"],
