"""Extensions in JavaScript that call the script: the text of them is in `clients/extensions`."""

from __future__ import annotations

import json
from importlib.resources import files
from pathlib import Path

from nanoctx.clients.own_file import MARK, OwnFile


class Extension(OwnFile):
    def content(self, script: Path) -> str:
        template = files("nanoctx.clients").joinpath("extensions", f"{self.name}.js").read_text("utf-8")
        told = f"// {MARK}`nanoctx disconnect {self.name}` takes it away.\n"
        return told + template.replace('"nanoctx-hook"', json.dumps(str(script)))
