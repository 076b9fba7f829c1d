def run(tasks):
    try:
        for task in tasks:
            task()
    except* ValueError as group:
        print(group.exceptions)
    except* (TypeError, KeyError):
        pass
    else:
        print("fine")
    finally:
        print("done")


while True:
    break
else:
    pass
