/* The page of a report. */
#include "native.h"

static PyObject *report(PyObject *self, PyObject *arguments) {
    const char *name, *json;
    Py_ssize_t length;
    gbs_report *runs = NULL;
    char *html = NULL;
    size_t size = 0;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "ss#", &name, &json, &length) ||
        !call_begin(&c, 1, 1, Py_None))
        return NULL;
    gbs_status status = gbs_report_create(c.ctx, &runs);
    if (status == GBS_OK)
        status = gbs_report_add_run(c.ctx, runs, name, json, (size_t)length);
    if (status == GBS_OK)
        status = gbs_report_html(c.ctx, runs, NULL, &html, &size, NULL);
    gbs_report_free(runs);
    return call_end_text(&c, status, html, size);
}

PyMethodDef report_methods[] = {
    {"report", report, METH_VARARGS, "report(name, run): the page of a run's JSON"},
    {NULL, NULL, 0, NULL},
};
