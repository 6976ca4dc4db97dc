"""Programs: run one, time it, read what it says."""

import json
import os
import resource
import subprocess


class Failed(Exception):
    pass


def run(command, allowed=(0,)):
    """Standard output of the command; Failed with its last words when it leaves otherwise than `allowed`."""
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
    if done.returncode not in allowed:
        words = (done.stderr.strip() or done.stdout.strip()).splitlines()[-3:]
        raise Failed(f"{' '.join(map(str, command))}: exit status {done.returncode}: {' / '.join(words)}")
    return done.stdout


def run_json(command):
    """The JSON object that a gibbsite command prints. Exit status 4 is a result too: it did not converge, and says so."""
    return json.loads(run([*command, "--json", "--quiet"], allowed=(0, 4)))


def cpu_seconds():
    """User and system time of the finished child processes of this one."""
    use = resource.getrusage(resource.RUSAGE_CHILDREN)
    return use.ru_utime + use.ru_stime


def gibbsite(root):
    return os.environ.get("GIBBSITE") or os.path.join(root, "build", "gibbsite")
