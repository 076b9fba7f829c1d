def connect(host="localhost", port):
    return f"{host}:{port}"


print(connect())
