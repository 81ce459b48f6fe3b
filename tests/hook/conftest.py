"""The scene of all hook tests."""

from hook_scene import scene

__all__ = ["scene"]
