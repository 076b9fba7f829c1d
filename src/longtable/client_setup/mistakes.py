"""What keeps a file from being changed."""


class MalformedFile(Exception):
    """The text is not what its format demands, or is not understood well enough to be changed."""
