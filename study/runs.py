"""Units of work and what is kept of them.

A unit is one piece of work (a method on one split of one set, or one fit of a figure). Its result
is one small JSON file that appears whole or not at all, with a fingerprint of everything that went
into it; a unit whose file is there with the right fingerprint is not run again. So a study that was
interrupted goes on where it stopped, and an option that changed runs again what it concerns.
"""

import concurrent.futures
import hashlib
import json
import os
import signal
import sys
import threading
import time

import tool


class Interrupted(Exception):
    pass


def digest(value):
    return hashlib.sha256(json.dumps(value, sort_keys=True, default=list).encode()).hexdigest()[:16]


def file_digest(path):
    with open(path, "rb") as file:
        return hashlib.sha256(file.read()).hexdigest()[:16]


class Unit:
    """name: of its file; inputs: all that its result depends on; work: a function without arguments
    that returns a dictionary; weight: how long it takes compared with others; needs: names of units
    whose results `inputs` and `work` are to be told (then both are functions of these results)."""

    def __init__(self, name, inputs, work, weight=1.0, needs=()):
        self.name, self.inputs, self.work, self.weight, self.needs = (name, inputs, work, weight,
                                                                      needs)


class Store:
    def __init__(self, folder):
        self.folder = folder
        os.makedirs(folder, exist_ok=True)

    def path(self, name):
        return os.path.join(self.folder, name + ".json")

    def load(self, name, fingerprint=None):
        try:
            with open(self.path(name), encoding="utf-8") as file:
                result = json.load(file)
        except (OSError, ValueError):
            return None
        return result if fingerprint is None or result.get("fingerprint") == fingerprint else None

    def save(self, name, result):
        new = f"{self.path(name)}.{os.getpid()}.{threading.get_ident()}.new"
        with open(new, "w", encoding="utf-8") as file:
            json.dump(result, file, indent=1)
            file.write("\n")
            file.flush()
            os.fsync(file.fileno())
        os.replace(new, self.path(name))


class Progress:
    """Units done of all, and the time left by the weights of those done in this run."""

    def __init__(self, total, weight):
        self.total, self.weight, self.done, self.kept = total, weight, 0, 0
        self.done_weight = self.kept_weight = 0.0
        self.start, self.shown, self.terminal = time.monotonic(), 0.0, sys.stderr.isatty()

    def step(self, unit, kept):
        self.done += 1
        self.done_weight += unit.weight
        self.kept += kept
        self.kept_weight += unit.weight * kept
        now = time.monotonic()
        last = self.done == self.total
        if kept and not last or not last and now - self.shown < (0.2 if self.terminal else 10):
            return
        self.shown = now
        worked = self.done_weight - self.kept_weight
        left = (now - self.start) / worked * (self.weight - self.done_weight) if worked else 0
        text = (
            f"study: {self.done} of {self.total} units, about {self.clock(left)} left; {unit.name}")
        sys.stderr.write(f"\r\033[K{text}" if self.terminal else text + "\n")
        if last and self.terminal:
            sys.stderr.write("\r\033[K")
        sys.stderr.flush()

    @staticmethod
    def clock(seconds):
        return f"{seconds:.0f} s" if seconds < 90 else f"{seconds / 60:.0f} min"


def run_all(units, store, workers):
    """Results by name. Units that need others come after them in `units`. Interrupted when a signal
    came; Failed when a unit failed (others go on)."""
    progress = Progress(len(units), sum(unit.weight for unit in units))
    results, failures, stop, lock = {}, [], threading.Event(), threading.Lock()

    def on_signal(_number, _frame):
        stop.set()
        # it waits for a lock, which a signal handler must not
        threading.Thread(target=tool.stop).start()

    def one(unit):
        if stop.is_set():
            return
        known = [results.get(name) for name in unit.needs]
        if any(result is None for result in known):
            return  # what it needs has failed; that is said already
        inputs = unit.inputs(*known) if unit.needs else unit.inputs
        fingerprint = digest(inputs)
        result = store.load(unit.name, fingerprint)
        kept = result is not None
        if not kept:
            tool.spent.seconds, start = 0.0, time.monotonic()
            try:
                result = unit.work(*known)
            except (tool.Failed, KeyError, ValueError, OSError) as error:
                if not stop.is_set():
                    with lock:
                        said = error if isinstance(error, tool.Failed) else repr(error)
                        failures.append(f"{unit.name}: {said}")
                return
            result.update(unit=unit.name, fingerprint=fingerprint, seconds_cpu=tool.spent.seconds,
                          seconds_wall=time.monotonic() - start)
            store.save(unit.name, result)
        with lock:
            results[unit.name] = result
            progress.step(unit, kept)

    before = {number: signal.signal(number, on_signal)
              for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        for stage in (False, True):  # first what stands alone, then what needs results
            with concurrent.futures.ThreadPoolExecutor(workers) as pool:
                for done in [pool.submit(one, unit) for unit in units if bool(unit.needs) == stage]:
                    done.result()
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)
    if stop.is_set():
        raise Interrupted(
            f"interrupted with {len(results)} of {len(units)} units done; the same command goes "
            f"on from there")
    if failures:
        raise tool.Failed("\n".join(failures))
    return results, progress.kept
