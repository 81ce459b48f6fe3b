#!/bin/sh
# Calls nanoctx at an event of Claude Code. Says nothing where nanoctx is not installed, and where the page
# comes already: by `nanoctx connect claude-code`, or by a line that includes it.
project="${CLAUDE_PROJECT_DIR:-.}"
own="${CLAUDE_CONFIG_DIR:-$HOME/.claude}"

command -v nanoctx-hook >/dev/null 2>&1 || exit 0
grep -qs 'nanoctx-hook' "$own/settings.json" "$project/.claude/settings.json" \
    "$project/.claude/settings.local.json" && exit 0
if [ "$1" = session-start ]; then
    grep -qs '@[^ ]*\.nanoctx/CONTEXT\.md' "$own/CLAUDE.md" "$project/CLAUDE.md" "$project/.claude/CLAUDE.md" \
        "$project/CLAUDE.local.md" "$project/AGENTS.md" && exit 0
fi
exec nanoctx-hook "$1"
