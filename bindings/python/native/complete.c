/* Matrix completion. */
#include "native.h"

#include <string.h>

static void free_completion(PyObject *capsule) {
    gbs_completion_free(PyCapsule_GetPointer(capsule, COMPLETION_NAME));
}

gbs_completion *completion_of(PyObject *capsule) {
    return PyCapsule_GetPointer(capsule, COMPLETION_NAME);
}

PyObject *completion_capsule(gbs_completion *completion) {
    PyObject *capsule = PyCapsule_New(completion, COMPLETION_NAME, free_completion);
    if (capsule == NULL)
        gbs_completion_free(completion);
    return capsule;
}

/* A list of texts as an array of them, which the list keeps alive; NULL: an exception is set. */
static const char **texts_of(PyObject *list, const char *what) {
    Py_ssize_t count = PyList_Size(list);
    const char **texts = count >= 0 ? PyMem_Calloc((size_t)count + 1, sizeof *texts) : NULL;
    if (texts == NULL && count >= 0)
        PyErr_NoMemory();
    for (Py_ssize_t i = 0; texts != NULL && i < count; i++) {
        texts[i] = text_whole(GBS_ERR_DATA, PyList_GetItem(list, i), "%s: name %zd, ", what, i);
        if (texts[i] == NULL) {
            PyMem_Free(texts);
            return NULL;
        }
    }
    return texts;
}

struct ratings {
    array row, column, value;
    const char **row_ids, **column_ids;
    size_t rows, columns;
};

static void free_ratings(struct ratings *r) {
    array_free(&r->row);
    array_free(&r->column);
    array_free(&r->value);
    PyMem_Free(r->row_ids);
    PyMem_Free(r->column_ids);
}

static int take_ratings(struct ratings *r, PyObject *row, PyObject *column, PyObject *value,
                        PyObject *row_ids, PyObject *column_ids) {
    int ok = array_take(row, "I", 1, 0, "row", &r->row) &&
             array_take(column, "I", 1, 0, "column", &r->column) &&
             array_take(value, "d", 1, 0, "value", &r->value) &&
             (r->row_ids = texts_of(row_ids, "rows")) != NULL &&
             (r->column_ids = texts_of(column_ids, "columns")) != NULL;
    if (!ok)
        return 0;
    r->rows = (size_t)PyList_Size(row_ids);
    r->columns = (size_t)PyList_Size(column_ids);
    if (r->row.rows == r->value.rows && r->column.rows == r->value.rows)
        return 1;
    PyErr_SetString(PyExc_ValueError, "rows, columns and values differ in number");
    return 0;
}

/* (completion, warnings) */
static PyObject *complete(PyObject *self, PyObject *arguments) {
    PyObject *row, *column, *value, *row_ids, *column_ids, *given, *progress, *result = NULL;
    unsigned long long seed;
    int threads;
    struct ratings r = {0};
    gbs_ratings *ratings = NULL;
    gbs_completion *completion = NULL;
    gbs_options *o = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOOO!O!OKiO", &row, &column, &value, &PyList_Type, &row_ids,
                          &PyList_Type, &column_ids, &given, &seed, &threads, &progress))
        return NULL;
    if (!take_ratings(&r, row, column, value, row_ids, column_ids) ||
        !call_begin(&c, seed, threads, progress)) {
        free_ratings(&r);
        return NULL;
    }
    o = call_options(&c, "complete", given);
    if (o != NULL) {
        call_unlock(&c);
        gbs_status status = gbs_ratings_create(c.ctx, (size_t)r.value.rows, r.rows, r.columns,
                                               r.row.view.buf, r.column.view.buf, r.value.view.buf,
                                               r.row_ids, r.column_ids, &ratings);
        if (status == GBS_OK)
            status = gbs_complete(c.ctx, ratings, o, &completion);
        gbs_ratings_free(ratings);
        int ok = call_done(&c, status);
        if (!ok)
            gbs_completion_free(completion);
        PyObject *made = ok ? completion_capsule(completion) : NULL;
        result = made != NULL ? PyTuple_Pack(2, made, c.messages) : NULL;
        Py_XDECREF(made);
    }
    gbs_options_free(o);
    free_ratings(&r);
    return call_end(&c, result);
}

static PyObject *completion_describe(PyObject *self, PyObject *capsule) {
    gbs_completion *completion = completion_of(capsule);
    char *text = NULL;
    size_t size = 0;
    call c;
    (void)self;
    if (completion == NULL || !call_begin(&c, 1, 1, Py_None))
        return NULL;
    gbs_status status = gbs_completion_describe_json(c.ctx, completion, 0, &text, &size);
    return call_end_text(&c, status, text, size);
}

/* The identifiers of the rows (0) or of the columns (1). */
static PyObject *completion_ids(PyObject *self, PyObject *arguments) {
    PyObject *capsule;
    int columns;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Op", &capsule, &columns))
        return NULL;
    gbs_completion *completion = completion_of(capsule);
    PyObject *list = completion != NULL ? PyList_New(0) : NULL;
    const char *id;
    for (size_t k = 0; list != NULL; k++) {
        id = columns ? gbs_completion_column_id(completion, k)
                     : gbs_completion_row_id(completion, k);
        if (id == NULL)
            break;
        PyObject *item = PyUnicode_DecodeUTF8(id, (Py_ssize_t)strlen(id), "replace");
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

/* Values and standard deviations (without the noise of a rating) of cells. */
static PyObject *completion_predict(PyObject *self, PyObject *arguments) {
    PyObject *of, *row, *column, *value, *sd, *result = NULL;
    int threads;
    array a[4] = {0};
    double *values, *deviations;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOOiOO", &of, &row, &column, &threads, &value, &sd))
        return NULL;
    gbs_completion *completion = completion_of(of);
    if (completion == NULL)
        return NULL;
    if (array_take(row, "I", 1, 0, "row", &a[0]) &&
        array_take(column, "I", 1, 0, "column", &a[1]) &&
        array_output(value, (size_t)a[0].rows, "value", &a[2], &values) &&
        array_output(sd, (size_t)a[0].rows, "sd", &a[3], &deviations)) {
        if (a[0].rows != a[1].rows)
            PyErr_SetString(PyExc_ValueError, "rows and columns differ in number");
        else if (call_begin(&c, 1, threads, Py_None)) {
            call_unlock(&c);
            gbs_status status = gbs_completion_predict(c.ctx, completion, (size_t)a[0].rows,
                                                       a[0].view.buf, a[1].view.buf, values,
                                                       deviations);
            result = call_done(&c, status) ? Py_NewRef(Py_None) : NULL;
            call_end(&c, NULL);
        }
    }
    for (int k = 0; k < 4; k++)
        array_free(&a[k]);
    return result;
}

static PyObject *completion_noise(PyObject *self, PyObject *arguments) {
    PyObject *of, *row, *out;
    array a[2] = {0};
    double *values;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOO", &of, &row, &out))
        return NULL;
    gbs_completion *completion = completion_of(of);
    int ok = completion != NULL && array_take(row, "I", 1, 0, "row", &a[0]) &&
             array_output(out, (size_t)a[0].rows, "noise", &a[1], &values);
    for (Py_ssize_t i = 0; ok && i < a[0].rows; i++)
        values[i] = gbs_completion_noise(completion, ((const uint32_t *)a[0].view.buf)[i]);
    array_free(&a[0]);
    array_free(&a[1]);
    return ok ? Py_NewRef(Py_None) : NULL;
}

static PyObject *completion_to_json(PyObject *self, PyObject *capsule) {
    gbs_completion *completion = completion_of(capsule);
    char *text = NULL;
    size_t size = 0;
    call c;
    (void)self;
    if (completion == NULL || !call_begin(&c, 1, 1, Py_None))
        return NULL;
    call_unlock(&c);
    gbs_status status = gbs_completion_to_json(c.ctx, completion, &text, &size);
    return call_end_file(&c, status, text, size);
}

static PyObject *completion_from_json(PyObject *self, PyObject *object) {
    Py_ssize_t size;
    gbs_completion *completion = NULL;
    const char *text;
    call c;
    (void)self;
    if (!file_of(object, &text, &size) || !call_begin(&c, 1, 1, Py_None))
        return NULL;
    call_unlock(&c);
    gbs_status status = gbs_completion_from_json(c.ctx, text, (size_t)size, &completion);
    PyObject *result = call_done(&c, status) ? completion_capsule(completion) : NULL;
    return call_end(&c, result);
}

/* The bytes of any file, whole or not at all. */
static PyObject *write_file(PyObject *self, PyObject *arguments) {
    PyObject *path, *object;
    const char *bytes;
    Py_ssize_t size;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "O&O", PyUnicode_FSConverter, &path, &object))
        return NULL;
    int ok = file_of(object, &bytes, &size) && call_begin(&c, 1, 1, Py_None);
    if (ok) {
        call_unlock(&c);
        gbs_status status = gbs_write_file(c.ctx, PyBytes_AsString(path), bytes, (size_t)size);
        ok = call_done(&c, status);
        call_end(&c, NULL);
    }
    Py_DECREF(path);
    return ok ? Py_NewRef(Py_None) : NULL;
}

PyMethodDef complete_methods[] = {
    {"complete", complete, METH_VARARGS,
     "complete(row, column, value, row_ids, column_ids, options, seed, threads, progress)"},
    {"completion_describe", completion_describe, METH_O, "completion_describe(completion): JSON"},
    {"completion_ids", completion_ids, METH_VARARGS, "completion_ids(completion, columns)"},
    {"completion_predict", completion_predict, METH_VARARGS,
     "completion_predict(completion, row, column, threads, value, sd)"},
    {"completion_noise", completion_noise, METH_VARARGS, "completion_noise(completion, row, out)"},
    {"completion_to_json", completion_to_json, METH_O,
     "completion_to_json(completion): the bytes of a file"},
    {"completion_from_json", completion_from_json, METH_O, "completion_from_json(bytes)"},
    {"write_file", write_file, METH_VARARGS, "write_file(path, bytes)"},
    {NULL, NULL, 0, NULL},
};
