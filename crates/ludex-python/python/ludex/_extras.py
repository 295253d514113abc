"""What adapters for other projects say where one of their packages is not installed."""


def missing(packages: str, extra: str) -> str:
    """The message: which packages it needs, and how to get them."""
    return f"`ludex.{extra}` needs {packages}: pip install ludex[{extra}]"
