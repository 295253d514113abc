"""What modules for other projects say where one of their packages is not installed."""


def missing(packages: str, extra: str, *, module: str | None = None) -> str:
    """The message: which packages it needs, and how to get them. The module is called like the extra unless it is named."""
    return f"`ludex.{module or extra}` needs {packages}: pip install ludex[{extra}]"
