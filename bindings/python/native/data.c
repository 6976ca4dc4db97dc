/* Rows for the library: NumPy's arrays, SciPy's sparse rows, columns of a table. */
#include "native.h"

#include <string.h>

/* ---------------------------------------------------------------- handles */

static void free_data(PyObject *capsule) {
    held_data *held = PyCapsule_GetPointer(capsule, DATA_NAME);
    if (held == NULL)
        return;
    gbs_data_free(held->data);
    for (int k = 0; k < held->count; k++)
        array_free(&held->arrays[k]);
    PyMem_Free(held);
}

gbs_data *data_of(PyObject *capsule) {
    held_data *held = PyCapsule_GetPointer(capsule, DATA_NAME);
    return held != NULL ? held->data : NULL;
}

/* A capsule with room for arrays; what is put in later goes with it. */
static PyObject *new_data(held_data **held) {
    *held = PyMem_Calloc(1, sizeof **held);
    if (*held == NULL)
        return PyErr_NoMemory();
    PyObject *capsule = PyCapsule_New(*held, DATA_NAME, free_data);
    if (capsule == NULL)
        PyMem_Free(*held);
    return capsule;
}

static array *next_array(held_data *held) {
    return &held->arrays[held->count];
}

/* Takes an array that the data will borrow. */
static int borrow(held_data *held, PyObject *object, const char *format, int dimensions,
                  const char *what) {
    if (!array_take(object, format, dimensions, 0, what, next_array(held)))
        return 0;
    held->count++;
    return 1;
}

static int same_rows(const array *labels, size_t rows) {
    if ((size_t)labels->rows == rows)
        return 1;
    PyErr_Format(PyExc_ValueError, "%zu rows, but %zd labels", rows, labels->rows);
    return 0;
}

/* ---------------------------------------------------------------- dense, sparse */

static PyObject *dense(PyObject *self, PyObject *arguments) {
    PyObject *x, *y;
    held_data *held;
    gbs_cell_type type;
    size_t column_stride;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OO", &x, &y) || !call_begin(&c, 1, 1, Py_None))
        return NULL;
    PyObject *capsule = new_data(&held);
    int ok = capsule != NULL && array_matrix(x, "X", next_array(held), &type, &column_stride);
    if (ok)
        held->count++;
    ok = ok && (y == Py_None || (borrow(held, y, "d", 1, "y") &&
                                 same_rows(&held->arrays[1], (size_t)held->arrays[0].rows)));
    if (ok) {
        const array *a = &held->arrays[0];
        const double *labels = y != Py_None ? held->arrays[1].view.buf : NULL;
        call_unlock(&c);
        gbs_status status = gbs_data_strided(c.ctx, (size_t)a->rows, (size_t)a->columns,
                                             a->view.buf, type, (size_t)a->stride, column_stride,
                                             labels, GBS_BORROW, &held->data);
        ok = call_done(&c, status);
    }
    if (!ok)
        Py_CLEAR(capsule);
    return call_end(&c, capsule);
}

/* indptr of 64 bits; indices of 32 or 64; SciPy's are signed and never negative. */
static PyObject *csr(PyObject *self, PyObject *arguments) {
    PyObject *start, *column, *value, *y;
    Py_ssize_t rows, columns;
    int wide;
    held_data *held;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "nnOOOOp", &rows, &columns, &start, &column, &value, &y,
                          &wide) ||
        !call_begin(&c, 1, 1, Py_None))
        return NULL;
    PyObject *capsule = new_data(&held);
    int ok = capsule != NULL && borrow(held, start, "q", 1, "indptr") &&
             borrow(held, column, wide ? "q" : "i", 1, "indices") &&
             borrow(held, value, "d", 1, "data") && (y == Py_None || borrow(held, y, "d", 1, "y"));
    const array *a = ok ? held->arrays : NULL;
    if (ok && (a[0].rows != rows + 1 || a[1].rows != a[2].rows ||
               ((const int64_t *)a[0].view.buf)[rows] > a[1].rows)) {
        PyErr_SetString(PyExc_ValueError, "the arrays of the sparse matrix do not fit together");
        ok = 0;
    }
    ok = ok && (y == Py_None || same_rows(&a[3], (size_t)rows));
    if (ok) {
        const double *labels = y != Py_None ? a[3].view.buf : NULL;
        gbs_status status;
        call_unlock(&c);
        if (wide)
            status = gbs_data_csr_wide(c.ctx, (size_t)rows, (size_t)columns, a[0].view.buf,
                                       a[1].view.buf, a[2].view.buf, labels, GBS_BORROW,
                                       &held->data);
        else
            status = gbs_data_csr(c.ctx, (size_t)rows, (size_t)columns, a[0].view.buf,
                                  a[1].view.buf, a[2].view.buf, labels, GBS_BORROW, &held->data);
        ok = call_done(&c, status);
    }
    if (!ok)
        Py_CLEAR(capsule);
    return call_end(&c, capsule);
}

/* ---------------------------------------------------------------- tables */

static void free_table(PyObject *capsule) {
    gbs_table_free(PyCapsule_GetPointer(capsule, TABLE_NAME));
}

/* A list of texts, None where one is missing. */
static int add_texts(call *c, gbs_table *table, const char *name, PyObject *list, Py_ssize_t rows) {
    const char **texts = PyMem_Calloc((size_t)rows + 1, sizeof *texts);
    int ok = texts != NULL && PyList_Size(list) == rows;
    if (texts == NULL)
        PyErr_NoMemory();
    else if (!ok)
        PyErr_Format(PyExc_ValueError, "column '%s' has %zd rows, not %zd", name, PyList_Size(list),
                     rows);
    for (Py_ssize_t i = 0; ok && i < rows; i++) {
        PyObject *item = PyList_GetItem(list, i);
        if (item == Py_None)
            continue;
        texts[i] = text_whole(GBS_ERR_DATA, item, "column '%s' in row %zd: ", name, i);
        ok = texts[i] != NULL;
    }
    if (ok)
        ok = call_done(c, gbs_table_add_texts(c->ctx, table, name, texts));
    PyMem_Free(texts);
    return ok;
}

static int add_numbers(call *c, gbs_table *table, const char *name, PyObject *object,
                       Py_ssize_t rows) {
    array values;
    if (!array_take(object, "d", 1, 0, name, &values))
        return 0;
    int ok = values.rows == rows;
    if (!ok)
        PyErr_Format(PyExc_ValueError, "column '%s' has %zd rows, not %zd", name, values.rows,
                     rows);
    else
        ok = call_done(c, gbs_table_add_numbers(c->ctx, table, name, values.view.buf));
    array_free(&values);
    return ok;
}

/* Columns in order: (name, array of numbers or list of texts). */
static PyObject *table(PyObject *self, PyObject *arguments) {
    Py_ssize_t rows;
    PyObject *columns, *capsule = NULL;
    gbs_table *made = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "nO!", &rows, &PyList_Type, &columns) ||
        !call_begin(&c, 1, 1, Py_None))
        return NULL;
    Py_ssize_t count = PyList_Size(columns);
    int ok = call_done(&c, gbs_table_create(c.ctx, (size_t)rows, (size_t)count, &made));
    for (Py_ssize_t k = 0; ok && k < count; k++) {
        const char *name;
        PyObject *values;
        ok = PyArg_ParseTuple(PyList_GetItem(columns, k), "sO", &name, &values) &&
             (PyList_Check(values) ? add_texts(&c, made, name, values, rows)
                                   : add_numbers(&c, made, name, values, rows));
    }
    if (ok)
        capsule = PyCapsule_New(made, TABLE_NAME, free_table);
    if (capsule == NULL)
        gbs_table_free(made);
    return call_end(&c, capsule);
}

/* Which rows of a table are learned from; None: the library draws them. */
static int take_learned(PyObject *object, const gbs_table *table, array *out) {
    *out = (array){0};
    if (object == Py_None)
        return 1;
    if (!array_take(object, "B", 1, 0, "learned", out))
        return 0;
    if ((size_t)out->rows == gbs_table_rows(table))
        return 1;
    PyErr_SetString(PyExc_ValueError, "learned: not one for each row");
    array_free(out);
    return 0;
}

/* Data of a table for a fit: the recipe is learned. (data, warnings) */
static PyObject *train(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *given, *rows, *made = NULL, *result = NULL;
    unsigned long long seed;
    held_data *held;
    array learned;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOKO", &capsule, &given, &seed, &rows))
        return NULL;
    gbs_table *from = PyCapsule_GetPointer(capsule, TABLE_NAME);
    if (from == NULL || !take_learned(rows, from, &learned))
        return NULL;
    if (call_begin(&c, seed, 1, Py_None)) {
        gbs_options *o = call_options(&c, "fit", given);
        if (o != NULL && (made = new_data(&held)) != NULL) {
            call_unlock(&c);
            gbs_status status = rows == Py_None
                                    ? gbs_table_train(c.ctx, from, o, &held->data)
                                    : gbs_table_train_split(c.ctx, from, o, learned.view.buf,
                                                            &held->data);
            if (call_done(&c, status))
                result = PyTuple_Pack(2, made, c.messages);
        }
        gbs_options_free(o);
        Py_XDECREF(made);
        result = call_end(&c, result);
    }
    if (rows != Py_None)
        array_free(&learned);
    return result;
}

/* How often each input had a text that training did not see: [(column, count, one of them)]. */
static PyObject *unseen(const gbs_data *data, const gbs_recipe *recipe) {
    PyObject *list = PyList_New(0);
    const char *name, *level;
    for (size_t k = 0; list != NULL && (name = gbs_recipe_input(recipe, k, NULL)) != NULL; k++) {
        size_t count = gbs_data_unseen(data, k, &level);
        if (count == 0)
            continue;
        PyObject *item = Py_BuildValue("(sns)", name, (Py_ssize_t)count, level);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* The recipe of a model or of a sample. */
static int recipe_in(call *c, PyObject *of, gbs_recipe **out) {
    if (PyCapsule_IsValid(of, PARTICLES_NAME))
        return call_done(c, gbs_recipe_from_particles(c->ctx, particles_of(of), out));
    gbs_model *model = model_of(of);
    return model != NULL && call_done(c, gbs_recipe_from_model(c->ctx, model, out));
}

/* Data of a table for predictions of a model or a sample, and what it did not know. */
static PyObject *apply(PyObject *self, PyObject *arguments) {
    PyObject *of, *capsule, *made = NULL, *list = NULL, *missing;
    gbs_recipe *recipe = NULL;
    held_data *held;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOO", &of, &capsule, &missing))
        return NULL;
    gbs_table *from = PyCapsule_GetPointer(capsule, TABLE_NAME);
    if (from == NULL || !call_begin(&c, 1, 1, Py_None))
        return NULL;
    gbs_options *o = call_options(&c, "predict", missing);
    if (o != NULL && recipe_in(&c, of, &recipe) && (made = new_data(&held)) != NULL) {
        call_unlock(&c);
        gbs_status status = gbs_table_apply(c.ctx, from, recipe, GBS_WITHOUT_LABELS, o,
                                            &held->data);
        if (call_done(&c, status))
            list = unseen(held->data, recipe);
    }
    gbs_options_free(o);
    gbs_recipe_free(recipe);
    PyObject *result = list != NULL ? PyTuple_Pack(2, made, list) : NULL;
    Py_XDECREF(made);
    Py_XDECREF(list);
    return call_end(&c, result);
}

/* ---------------------------------------------------------------- what is known of rows */

static PyObject *shape(PyObject *self, PyObject *capsule) {
    const gbs_data *data = data_of(capsule);
    (void)self;
    return data != NULL ? Py_BuildValue("(nn)", (Py_ssize_t)gbs_data_rows(data),
                                        (Py_ssize_t)gbs_data_columns(data))
                        : NULL;
}

static PyObject *looked(PyObject *self, PyObject *arguments) {
    PyObject *capsule;
    unsigned bits;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OI", &capsule, &bits) || data_of(capsule) == NULL)
        return NULL;
    gbs_data_looked(data_of(capsule), bits);
    Py_RETURN_NONE;
}

/* Three classes or more: the number of each row's. */
static PyObject *set_classes(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *object;
    Py_ssize_t classes;
    array class_of;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOn", &capsule, &object, &classes))
        return NULL;
    gbs_data *data = data_of(capsule);
    if (data == NULL || !array_take(object, "I", 1, 0, "classes", &class_of))
        return NULL;
    int ok = call_begin(&c, 1, 1, Py_None);
    if (ok) {
        ok = call_done(&c, gbs_data_set_classes(c.ctx, data, (size_t)class_of.rows,
                                                class_of.view.buf, (size_t)classes));
        call_end(&c, NULL);
    }
    array_free(&class_of);
    return ok ? Py_NewRef(Py_None) : NULL;
}

/* What saying one class of a row of another costs: a flat matrix. */
static PyObject *set_costs(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *object;
    Py_ssize_t classes;
    array cost;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOn", &capsule, &object, &classes))
        return NULL;
    gbs_data *data = data_of(capsule);
    if (data == NULL || !array_take(object, "d", 1, 0, "cost", &cost))
        return NULL;
    int ok = cost.rows == classes * classes;
    if (!ok)
        PyErr_Format(PyExc_ValueError, "cost has %zd numbers, expected %zd x %zd", cost.rows,
                     classes, classes);
    ok = ok && call_begin(&c, 1, 1, Py_None);
    if (ok) {
        ok = call_done(&c, gbs_data_set_costs(c.ctx, data, (size_t)classes, cost.view.buf));
        call_end(&c, NULL);
    }
    array_free(&cost);
    return ok ? Py_NewRef(Py_None) : NULL;
}

static PyObject *set_weights(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *object;
    array weight;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OO", &capsule, &object))
        return NULL;
    gbs_data *data = data_of(capsule);
    if (data == NULL || !array_take(object, "d", 1, 0, "sample_weight", &weight))
        return NULL;
    int ok = same_rows(&weight, gbs_data_rows(data)) && call_begin(&c, 1, 1, Py_None);
    if (ok) {
        ok = call_done(&c, gbs_data_set_weights(c.ctx, data, weight.view.buf));
        call_end(&c, NULL);
    }
    array_free(&weight);
    return ok ? Py_NewRef(Py_None) : NULL;
}

/* Rows that belong together: equal numbers. */
static PyObject *set_groups(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *object;
    array group;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OO", &capsule, &object))
        return NULL;
    gbs_data *data = data_of(capsule);
    if (data == NULL || !array_take(object, "Q", 1, 0, "groups", &group))
        return NULL;
    int ok = same_rows(&group, gbs_data_rows(data)) && call_begin(&c, 1, 1, Py_None);
    if (ok) {
        ok = call_done(&c, gbs_data_set_groups(c.ctx, data, group.view.buf));
        call_end(&c, NULL);
    }
    array_free(&group);
    return ok ? Py_NewRef(Py_None) : NULL;
}

/* The row of the table behind each row of data. */
static PyObject *table_rows(PyObject *self, PyObject *capsule) {
    const gbs_data *data = data_of(capsule);
    (void)self;
    PyObject *list = data != NULL ? PyList_New((Py_ssize_t)gbs_data_rows(data)) : NULL;
    for (size_t i = 0; list != NULL && i < gbs_data_rows(data); i++) {
        PyObject *row = PyLong_FromSize_t(gbs_data_table_row(data, i));
        if (row == NULL || PyList_SetItem(list, (Py_ssize_t)i, row) != 0)
            Py_CLEAR(list);
    }
    return list;
}

/* Rows to learn from, handed in. */
static PyObject *set_split(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *object;
    array learned;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OO", &capsule, &object))
        return NULL;
    gbs_data *data = data_of(capsule);
    if (data == NULL || !array_take(object, "B", 1, 0, "learned", &learned))
        return NULL;
    int ok = same_rows(&learned, gbs_data_rows(data)) && call_begin(&c, 1, 1, Py_None);
    if (ok) {
        ok = call_done(&c, gbs_data_set_split(c.ctx, data, learned.view.buf));
        call_end(&c, NULL);
    }
    array_free(&learned);
    return ok ? Py_NewRef(Py_None) : NULL;
}

/* Rows to learn from, handed out. */
static PyObject *split(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *given, *object;
    unsigned long long seed;
    array learned;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOKO", &capsule, &given, &seed, &object))
        return NULL;
    gbs_data *data = data_of(capsule);
    if (data == NULL || !array_take(object, "B", 1, 1, "learned", &learned))
        return NULL;
    int ok = same_rows(&learned, gbs_data_rows(data)) && call_begin(&c, seed, 1, Py_None);
    if (ok) {
        gbs_options *o = call_options(&c, "fit", given);
        ok = o != NULL;
        if (ok) {
            call_unlock(&c);
            ok = call_done(&c, gbs_fit_split(c.ctx, data, o, learned.view.buf));
        }
        gbs_options_free(o);
        call_end(&c, NULL);
    }
    array_free(&learned);
    return ok ? Py_NewRef(Py_None) : NULL;
}

PyMethodDef data_methods[] = {
    {"dense", dense, METH_VARARGS, "dense(X, y): data that borrows the arrays"},
    {"csr", csr, METH_VARARGS, "csr(n, d, indptr, indices, data, y, wide): the same, sparse"},
    {"table", table, METH_VARARGS, "table(rows, [(name, values)]): a table of numbers and texts"},
    {"train", train, METH_VARARGS,
     "train(table, options, seed, learned): data for a fit, warnings"},
    {"apply", apply, METH_VARARGS, "apply(model, table, options): data for predictions"},
    {"shape", shape, METH_O, "shape(data): rows and columns"},
    {"looked", looked, METH_VARARGS, "looked(data, bits): what was looked at before"},
    {"set_classes", set_classes, METH_VARARGS, "set_classes(data, class_of, classes)"},
    {"set_costs", set_costs, METH_VARARGS, "set_costs(data, cost, classes)"},
    {"set_weights", set_weights, METH_VARARGS, "set_weights(data, weights)"},
    {"set_groups", set_groups, METH_VARARGS, "set_groups(data, groups)"},
    {"table_rows", table_rows, METH_O, "table_rows(data): the row of the table behind each"},
    {"set_split", set_split, METH_VARARGS, "set_split(data, learned)"},
    {"split", split, METH_VARARGS, "split(data, options, seed, learned)"},
    {NULL, NULL, 0, NULL},
};
