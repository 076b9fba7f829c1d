def read(path):
    try:
        return open(path).read()
    print("read")
