def attempt(fn, *args, tries: int = 3, **kwargs):
    for n in range(tries):
        try:
            return fn(*args, **kwargs)
        except TimeoutError, ConnectionError:
            print("try %d of %d" % (n + 1, tries))
        except (KeyError, IndexError) as error:
            raise RuntimeError from error
        finally:
            print("done")


def group():
    try:
        raise ExceptionGroup("many", [ValueError(1), TypeError(2)])
    except* ValueError, LookupError:
        pass
    except* TypeError as eg:
        for err in eg.exceptions:
            print(f"{err!r}")
    else:
        print("fine")
