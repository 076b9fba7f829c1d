def stop(items):
    if not items:
        break
    return items
