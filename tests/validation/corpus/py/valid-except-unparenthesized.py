def load(path):
    try:
        with open(path) as f:
            return f.read()
    except FileNotFoundError, PermissionError:
        return None
