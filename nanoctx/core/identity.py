"""What an observation is called, known by who has no time to load what reads one."""

from __future__ import annotations

from hashlib import sha256


def observation_id(agent: str, session: str) -> str:
    """Name a session's observation: the same session is always the same file."""
    return sha256(f"{agent}\0{session}".encode("utf-8", "surrogatepass")).hexdigest()[:12]
