"""nanoctx keeps one small page, CONTEXT.md, true."""

__version__ = "0.1.0"
