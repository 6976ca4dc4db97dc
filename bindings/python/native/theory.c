/* What the theory says before any data is seen; and random numbers. */
#include "native.h"

static PyObject *row_of(const gbs_theory_row *row) {
    return Py_BuildValue("{s:s,s:s,s:s,s:d,s:d,s:s}", "group", row->group, "name", row->name,
                         "source", row->source, "value", row->value, "paper_value",
                         row->paper_value, "verdict", gbs_verdict_name(row->verdict));
}

static PyObject *theory(PyObject *self, PyObject *given) {
    PyObject *list = NULL;
    gbs_theory *told = NULL;
    const gbs_theory_row *row;
    call c;
    (void)self;
    if (!call_begin(&c, 1, 1, Py_None))
        return NULL;
    gbs_options *o = call_options(&c, "theory", given);
    if (o != NULL && call_done(&c, gbs_theory_compute(c.ctx, o, &told)))
        list = PyList_New(0);
    for (size_t k = 0; list != NULL && (row = gbs_theory_row_at(told, k)) != NULL; k++) {
        PyObject *item = row_of(row);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    gbs_theory_free(told);
    gbs_options_free(o);
    return call_end(&c, list);
}

/* Counter-based random numbers `first`, `first` + step, ... of a stream into an array. */
static PyObject *random_numbers(PyObject *self, PyObject *arguments) {
    unsigned long long seed, stream, first, step;
    int normal;
    PyObject *object;
    array out;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "KKKKpO", &seed, &stream, &first, &step, &normal, &object) ||
        !array_take(object, "d", 1, 1, "out", &out))
        return NULL;
    int ok = call_begin(&c, seed, 1, Py_None);
    double *values = out.view.buf;
    if (ok) {
        call_unlock(&c);
        for (Py_ssize_t k = 0; k < out.rows; k++)
            values[k] = normal ? gbs_random_normal(c.ctx, stream, first + step * (uint64_t)k)
                               : gbs_random_uniform(c.ctx, stream, first + step * (uint64_t)k);
        call_end(&c, NULL);
    }
    array_free(&out);
    return ok ? Py_NewRef(Py_None) : NULL;
}

/* What is simulated where nobody says otherwise. */
static PyObject *simulated(PyObject *self, PyObject *nothing) {
    (void)self;
    (void)nothing;
    return Py_BuildValue("{s:i,s:i,s:d,s:i,s:i,s:d,s:d}", "rows", GBS_SIMULATED_ROWS, "cols",
                         GBS_SIMULATED_COLS, "flips", GBS_SIMULATED_FLIPS, "rated",
                         GBS_SIMULATED_RATED, "rank", GBS_SIMULATED_RANK, "noise",
                         GBS_SIMULATED_NOISE, "density", GBS_SIMULATED_SHARE);
}

PyMethodDef theory_methods[] = {
    {"random_numbers", random_numbers, METH_VARARGS,
     "random_numbers(seed, stream, first, step, normal, out)"},
    {"simulated", simulated, METH_NOARGS, "simulated(): the usual numbers of simulate()"},
    {"theory", theory, METH_O, "theory(options): a list of values"},
    {NULL, NULL, 0, NULL},
};
