"""What a pause is called, and what an agent should make of it. Imports nothing: hooks load it, too."""

FIRST = ("First session", "Introduce yourself to the project")


def told(seconds: float, days: int) -> tuple[str, str]:
    """Words and hint for the time passed and the local midnights in it.

    Calendar days count only from two hours on: work goes on past midnight.
    """
    minutes, hours = int(seconds // 60), int(seconds // 3600)
    if minutes < 5:  # also when the clock was set back
        return "just now", "Continue naturally"
    if minutes < 30:
        return f"{minutes} min ago", 'Brief "back to it"'
    if hours < 2:
        return f"{hours} h ago" if hours else f"{minutes} min ago", "Re-orient: check CONTEXT.md"
    if days < 1:
        return f"{hours} hours ago", "Summarise where we left off"
    return "yesterday" if days == 1 else f"{days} days ago", "Fresh start: review what happened"
