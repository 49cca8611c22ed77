"""How programs say what came of each step, errors too."""


def say(name, run):
    try:
        found = run()
    except Exception as error:
        found = f"{type(error).__name__}: {error}"
    print(name, found, flush=True)
