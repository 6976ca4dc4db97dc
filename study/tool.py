"""Programs: run one, take its processor time, read what it says."""

import json
import os
import subprocess
import tempfile
import threading

spent = threading.local()  # .seconds: processor time of the commands that this thread has run
running, lock, stopped = set(), threading.Lock(), threading.Event()


class Failed(Exception):
    pass


def stop():
    """Ends the commands that run now; no other is started."""
    stopped.set()
    with lock:
        for process in running:
            process.terminate()


def run(command, allowed=(0,)):
    """Standard output of the command; Failed with its last words when it leaves otherwise than
    `allowed`."""
    with tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        with lock:
            if stopped.is_set():
                raise Failed("stopped")
            process = subprocess.Popen(list(map(str, command)), stdin=subprocess.DEVNULL,
                                       stdout=out, stderr=err)
            running.add(process)
        _, status, use = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        with lock:
            running.discard(process)
        spent.seconds = getattr(spent, "seconds", 0.0) + use.ru_utime + use.ru_stime
        said = []
        for file in (out, err):
            file.seek(0)
            said.append(file.read().decode("utf-8", "replace"))
    if process.returncode not in allowed:
        words = (said[1].strip() or said[0].strip()).splitlines()[-3:]
        raise Failed(
            f"{' '.join(map(str, command))}: exit status {process.returncode}: {' / '.join(words)}")
    return said[0]


def run_json(command):
    """The JSON object that a gibbsite command prints. Exit status 4 is a result too: it did not
    converge, and says so."""
    return json.loads(run([*command, "--json", "--quiet"], allowed=(0, 4)))
