"""Rows: read a set, divide it, and write each part the way each program wants it.

Gibbsite gets the CSV cells as they are, with the label as a last column y of 1 and -1. The support
vector machines get svmlight files: text columns one-hot coded by the levels of the training rows,
and every column standardised with the training rows' mean and standard deviation, or left alone, as
Gibbsite does with `--scale standard` and `none`.
"""

import csv
import os
import random


class NoData(Exception):
    pass


def folder(root):
    return os.environ.get("GIBBSITE_DATA") or os.path.normpath(
        os.path.join(root, "..", "shared", "data"))


def read(base, s, name):
    """Header of the features, and rows as (cells, label)."""
    path = os.path.join(base, name)
    try:
        with open(path, newline="", encoding="utf-8") as file:
            table = list(csv.reader(file))
    except FileNotFoundError as error:
        raise NoData(path) from error
    at = table[0].index(s.label)
    rows = [(row[:at] + row[at + 1 :], 1 if row[at] in s.positive else -1) for row in table[1:]]
    return table[0][:at] + table[0][at + 1 :], rows


def divide(base, s, split):
    """(header, train, test) of split number `split`; a fixed split has the number 0 alone."""
    parts = [read(base, s, name) for name in s.files]
    header = parts[0][0]
    if s.fixed:
        return header, parts[0][1], parts[1][1]
    rows = [row for part in parts for row in part[1]]
    random.Random(f"{s.name} {split}").shuffle(rows)
    n = round(s.share * len(rows))
    return header, rows[:n], rows[n:]


def write_csv(path, header, rows):
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file, lineterminator="\n")
        out.writerow(header + ["y"])
        out.writerows(cells + [label] for cells, label in rows)


def number(text):
    try:
        return float(text)
    except ValueError:
        return None


class Coding:
    """One-hot coding and scaling, learned from training rows."""

    def __init__(self, rows, scale="standard"):
        columns = list(zip(*(cells for cells, _ in rows)))
        self.levels = [None if all(number(c) is not None for c in column) else sorted(set(column))
                       for column in columns]
        design = [self.code(cells) for cells, _ in rows]
        n, self.columns = len(design), len(design[0])
        self.mean, self.sd = [0.0] * self.columns, [1.0] * self.columns
        if scale == "standard":
            self.mean = [sum(column) / n for column in zip(*design)]
            self.sd = [(sum((v - m) ** 2 for v in column) / n) ** 0.5
                       for column, m in zip(zip(*design), self.mean)]

    def code(self, cells):
        values = []
        for cell, levels in zip(cells, self.levels):
            values += [float(cell)] if levels is None else [float(cell == level)
                                                            for level in levels]
        return values

    def write(self, path, rows):
        with open(path, "w", encoding="ascii") as file:
            for cells, label in rows:
                scaled = [(v - m) / s if s else 0.0
                          for v, m, s in zip(self.code(cells), self.mean, self.sd)]
                file.write(" ".join([str(label)] + [f"{k}:{v:.9g}" for k, v in enumerate(scaled, 1)
                                                    if v]) + "\n")
