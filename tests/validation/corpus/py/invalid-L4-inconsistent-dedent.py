def check(n):
    if n > 0:
        print("positive")
      print("done")
    return n
