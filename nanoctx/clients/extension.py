"""Extensions in JavaScript that call the script; their text is in `clients/extensions`."""

from __future__ import annotations

import json
import re
from importlib.resources import files
from pathlib import Path

from nanoctx.clients.own_file import MARK, OwnFile

_SCRIPT = re.compile(r'^const SCRIPT = (".*");$', re.MULTILINE)


class Extension(OwnFile):
    """A file that holds one template, with the path of the script in it."""

    def content(self, script: Path) -> str:
        template = files("nanoctx.clients").joinpath("extensions", f"{self.name}.js").read_text("utf-8")
        told = f"// {MARK}`nanoctx disconnect {self.name}` takes it away.\n"
        return told + template.replace('"nanoctx-hook"', json.dumps(str(script)))

    def script(self, text: str) -> Path | None:
        found = _SCRIPT.search(text)
        return Path(json.loads(found[1])) if found and MARK in text else None
