let ages = [
    "ada": 36,
    "grace" 85,
]
