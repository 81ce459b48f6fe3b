"""What changed outside, as far as HEAD tells it: only what is known is said."""

from __future__ import annotations

from nanoctx.model import Line, Observation

NO_REPOSITORY = Line("- No repository at hand", (), "Repository")


def external(branch: str, sha: str, session: Observation | None) -> tuple[Line, ...]:
    """External of a repository whose HEAD stands at `sha` of `branch` ("" when detached or unborn)."""
    name = branch or "a detached HEAD"
    where = f"On {name} at {sha[:7]}" if sha else f"On {name}, no commit yet"
    if session is None:
        return (Line(f"- {where}", (), "Repository"),)
    switched = (
        f"; branch {session.branch} → {branch}" if branch and session.branch not in ("", branch) else ""
    )
    if not session.head or not sha:
        return (Line(f"- {where}{switched}", (), "Repository"),)
    if sha.startswith(session.head):
        return (
            Line(
                f"- {where}; HEAD has not moved since the last look at a session{switched}", (), "Repository"
            ),
        )
    return (Line(f"- HEAD moved {session.head[:7]} → {sha[:7]}, now on {name}{switched}", (), "Repository"),)
