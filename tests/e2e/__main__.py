"""`python tests/e2e`: get the agents, then run the suite, without a network where the system lets us."""

from __future__ import annotations

import fcntl
import os
import shutil
import socket
import struct
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import agents
import claude

HERE = Path(__file__).parent
_INSIDE = "--no-network"
AT_ONCE = 3  # installed: half of the time they wait for the network
_SIOCSIFFLAGS, _IFF_UP = 0x8914, 0x1


def main(arguments: list[str]) -> None:
    if arguments[:1] == [_INSIDE]:
        _raise_loopback()
        arguments = arguments[1:]
    else:
        if problem := claude.install():
            kept = "the one here is used" if claude.find() else "its tests are skipped"
            print(f"The latest Claude Code could not be had ({problem}): {kept}.", file=sys.stderr)
        for problem in _install_agents():
            print(problem, file=sys.stderr)
        if apart := _network_apart():
            os.execvp(apart[0], [*apart, sys.executable, str(HERE), _INSIDE, *arguments])
    command = [sys.executable, "-m", "pytest", "-m", "e2e", "-rs", "-n", "2", str(HERE), *arguments]
    os.execv(sys.executable, command)


def _install_agents() -> list[str]:
    """What could not be had, a sentence each."""
    problems = [f"A newer Node could not be had: {problem}" for problem in [agents.install_node()] if problem]
    with ThreadPoolExecutor(AT_ONCE) as pool:
        return [*problems, *filter(None, pool.map(_got, agents.AGENTS))]


def _got(agent: agents.Agent) -> str | None:
    problem = agents.install(agent)
    return f"{agent.package} could not be had ({problem}): its tests are skipped." if problem else None


def _network_apart() -> list[str]:
    """The command that runs another with a network of its own; none where the system does not let us."""
    if not sys.platform.startswith("linux") or shutil.which("unshare") is None:
        return []
    command = ["unshare", "--net"] if os.geteuid() == 0 else ["unshare", "--net", "--map-root-user"]
    return command if subprocess.run([*command, "true"], capture_output=True).returncode == 0 else []


def _raise_loopback() -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, _SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", _IFF_UP))


if __name__ == "__main__":
    main(sys.argv[1:])
