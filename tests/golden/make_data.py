#!/usr/bin/python3
"""The inputs of the golden list: made once by this script, never again.

    make_data.py FOLDER

tests/golden/data was written by it and is kept as it is, for the list says what the program makes
of these very bytes. The script stays as the description of what the files hold; to add an input,
add a file of another name and leave the others alone.
"""
import gzip
import math
import os
import random
import struct
import sys

folder = sys.argv[1]


def write(name, content):
    """One file; a name that ends in .gz is packed, without a time."""
    content = content if isinstance(content, bytes) else content.encode()
    if name.endswith(".gz"):
        content = gzip.compress(content, mtime=0)
    with open(os.path.join(folder, name), "wb") as file:
        file.write(content)


def csv(header, rows, sep=",", end="\n"):
    lines = [header] if header else []
    return end.join(sep.join(cells) for cells in lines + rows) + end


def number(x):
    return "%.4g" % x


def labelled(rng, n, theta, flip, intercept=0.0, scales=None):
    """x ~ N(0, scales^2), y = sign(x'theta + intercept), flipped with probability flip."""
    rows = []
    for _ in range(n):
        x = [rng.gauss(0, s) for s in scales or [1.0] * len(theta)]
        score = intercept + sum(a * b for a, b in zip(x, theta))
        y = 1 if score > 0 else -1
        rows.append((x, -y if rng.random() < flip else y))
    return rows


def plain(rows):
    return [[number(v) for v in x] + [str(y)] for x, y in rows]


def sparse(rng, n, d, density, theta, flip):
    rows = []
    for _ in range(n):
        x = {j: round(rng.gauss(0.3, 1), 2) for j in range(d) if rng.random() < density}
        score = sum(v * theta[j] for j, v in x.items()) + 0.1
        y = 1 if score > 0 else -1
        rows.append((x, -y if rng.random() < flip else y))
    return rows


def svmlight(rows):
    return "".join("%+d %s\n" % (y, " ".join("%d:%s" % (j + 1, number(v)) for j, v in x.items()
                                             if v != 0)) for x, y in rows)


# rows.csv, fresh.csv: five columns of unlike scales, one of them noise; the label is called y.
rng = random.Random(1)
theta, scales = [1.0, -0.7, 0.02, 0.4, 0.0], [1, 1, 30, 0.5, 1]
rows = labelled(rng, 150, theta, 0.1, 0.2, scales)
fresh = labelled(rng, 24, theta, 0.2, 0.2, scales)
names = ["age", "x2", "income", "x4", "noise", "y"]
write("rows.csv", csv(names, plain(rows)))
write("fresh.csv", csv(names, plain(fresh)))
write("rows.csv.gz", csv(names, plain(rows)))
# even.csv, even_new.csv: the same without the wide column, for rows scaled to length one.
write("even.csv", csv(names[:2] + names[3:], [c[:2] + c[3:] for c in plain(rows)]))
write("even_new.csv", csv(names[:2] + names[3:], [c[:2] + c[3:] for c in plain(fresh)]))
# The same numbers without names: separated by tabs; as .npy (the last column is the label).
write("bare.csv", csv(None, plain(rows), sep="\t"))
write("bare_new.csv", csv(None, plain(fresh[:8]), sep="\t"))
cells = [[float(c) for c in line] for line in plain(rows)]
head = "{'descr': '<f8', 'fortran_order': False, 'shape': (%d, %d), }" % (len(cells), 6)
head += " " * ((-(len(head) + 11)) % 64) + "\n"
write("rows.npy", b"\x93NUMPY\x01\x00" + struct.pack("<H", len(head)) + head.encode()
      + b"".join(struct.pack("<6d", *line) for line in cells))

# text.csv, text_new.csv: texts, categories that look like numbers, quotes, a column to drop, three
# classes, missing cells; the second has a level that the first does not know.
rng = random.Random(2)
colours, sizes = ["red", "green", "blue, dark"], ["S", "M", "L", "say \"XL\""]


def quoted(text):
    return '"%s"' % text.replace('"', '""') if "," in text or '"' in text else text


def mixed(n, colours):
    lines = []
    for i in range(n):
        colour, size, zone = rng.choice(colours), rng.choice(sizes), rng.randint(1, 3)
        width, weight = rng.gauss(10, 2), math.exp(rng.gauss(0, 0.5))
        score = (colour == "red") - (size == "L") + 0.4 * (width - 10) + 0.5 * (zone == 2)
        score += rng.gauss(0, 0.7)
        kind = "oak" if score > 0.6 else "elm" if score > -0.4 else "ash"
        line = ["tree %d" % (i + 1), quoted(colour), number(width), quoted(size), str(zone),
                number(weight), kind]
        if i % 17 == 5:
            line[2] = "" if i % 2 else "NA"
        lines.append(line)
    return lines


head = ["id", "colour", "width", "size", "zone", "weight", "kind"]
write("text.csv", csv(head, mixed(110, colours), end="\r\n"))
write("text_new.csv", csv(head, mixed(16, colours + ["violet"])))

# wide.csv: 24 rows of 36 columns. wide.svm: 30 rows of 38 columns, an eighth of them not zero.
# (The program lists at most 40 coefficients; with fewer columns it lists them all.)
rng = random.Random(3)
theta = [rng.gauss(0, 1) for _ in range(36)]
wide = labelled(rng, 32, theta, 0.05)
head = ["x%d" % (j + 1) for j in range(36)] + ["y"]
thin = [[("%.2g" % v) for v in x] + [str(y)] for x, y in wide]
write("wide.csv", csv(head, thin[:24]))
write("wide_new.csv", csv(head, thin[24:]))
theta = [rng.gauss(0, 1) for _ in range(38)]
wide = sparse(rng, 40, 38, 0.125, theta, 0.05)
write("wide.svm", svmlight(wide[:30]))
write("wide_new.svm", svmlight(wide[30:]))

# sparse.svm.gz, sparse_new.svm: 90 rows of 12 columns, a third not zero, some rows twice.
rng = random.Random(4)
theta = [rng.gauss(0, 1) for _ in range(12)]
thin = sparse(rng, 94, 12, 0.33, theta, 0.1)
write("sparse.svm.gz", svmlight(thin[:80] + thin[:10]))
write("sparse_new.svm", svmlight(thin[80:]))

# pairs.csv, pairs_new.csv: for ranking; 30 positive rows in 100, labels in words.
rng = random.Random(5)
theta = [0.8, -0.5, 0.3, 0.0]


def ranked(n, positives):
    lines = []
    for i in range(n):
        y = i < positives
        x = [rng.gauss(t if y else 0, 1) for t in theta]
        lines.append([number(v) for v in x] + ["good" if y else "bad"])
    rng.shuffle(lines)
    return lines


head = ["a", "b", "c", "d", "grade"]
write("pairs.csv", csv(head, ranked(100, 30)))
write("pairs_new.csv", csv(head, ranked(20, 8)))

# ratings.csv, ratings_new.csv: 400 ratings from 1 to 5 of 36 rows and 24 columns with ids in words,
# rank 2 and biases; the second has ids that the first does not know. ratings.mtx.gz: real values,
# without range or biases.
rng = random.Random(6)
m, k = 36, 24
u = [[rng.gauss(0, 0.7) for _ in range(2)] for _ in range(m)]
v = [[rng.gauss(0, 0.7) for _ in range(2)] for _ in range(k)]
a, b = [rng.gauss(0, 0.4) for _ in range(m)], [rng.gauss(0, 0.4) for _ in range(k)]
where = [(i, j) for i in range(m) for j in range(k)]
rng.shuffle(where)


def rating(i, j):
    value = 3 + a[i] + b[j] + sum(p * q for p, q in zip(u[i], v[j])) + rng.gauss(0, 0.4)
    return min(5.0, max(1.0, round(2 * value) / 2))


given = [["user%d" % (i + 1), "film %d" % (j + 1), number(rating(i, j))] for i, j in where[:400]]
new = [["user%d" % (i + 1), "film %d" % (j + 1), number(rating(i, j))] for i, j in where[400:416]]
new[3][0], new[7][1], new[11][0], new[11][1] = "stranger", "unseen", "stranger", "unseen"
write("ratings.csv", csv(["user", "item", "rating"], given))
write("ratings_new.csv", csv(["user", "item", "rating"], new))
rng.shuffle(where)
lines = ["%d %d %s" % (i + 1, j + 1, number(sum(p * q for p, q in zip(u[i], v[j]))
                                            + rng.gauss(0, 0.2))) for i, j in where[:380]]
write("ratings.mtx.gz", "%%%%MatrixMarket matrix coordinate real general\n"
      "%d %d %d\n" % (m, k, len(lines)) + "\n".join(lines) + "\n")
write("cells.csv", csv(["row", "col", "value"],
                       [["%d" % (i + 1), "%d" % (j + 1),
                         number(sum(p * q for p, q in zip(u[i], v[j])))]
                        for i, j in where[380:392]]))

# What the program refuses: a bad cell, a row too short, one class, no rows.
write("bad_cell.csv", "x1,x2,y\n1,2,1\n0.5,oops,-1\n2,1,1\n0.1,0.2,-1\n")
write("short_row.csv", "x1,x2,y\n1,2,1\n0.5,-1\n2,1,1\n")
write("one_class.csv", "x1,x2,y\n1,2,1\n0.5,3,1\n2,1,1\n")
write("no_rows.csv", "x1,x2,y\n")
write("bad_rating.csv", "row,col,value\n1,1,3\n1,2,seven\n2,1,4\n")
