/* The module gibbsite._native. */
#include "native.h"

static PyObject *version(PyObject *self, PyObject *unused) {
    (void)self, (void)unused;
    return PyUnicode_FromString(gbs_version());
}

/* The table of options of a command: [(name, type, default or None, choices or None, help)]. */
static PyObject *options(PyObject *self, PyObject *object) {
    PyObject *list = NULL;
    const char *command = PyUnicode_AsUTF8AndSize(object, NULL);
    const gbs_option *line;
    (void)self;
    if (command == NULL || (list = PyList_New(0)) == NULL)
        return NULL;
    for (size_t k = 0; list != NULL && (line = gbs_option_at(k)) != NULL; k++) {
        if (gbs_option_find(command, line->name) != line)
            continue;
        PyObject *item = Py_BuildValue("(sizzz)", line->name, (int)line->type, line->standard,
                                       line->choices, line->help);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

static PyMethodDef methods[] = {
    {"version", version, METH_NOARGS, "version(): of the library"},
    {"options", options, METH_O, "options(command): name, type, default, choices, help"},
    {NULL, NULL, 0, NULL},
};

static struct PyModuleDef definition = {
    PyModuleDef_HEAD_INIT, "_native", "The Gibbsite library.", -1, methods, NULL, NULL, NULL, NULL,
};

PyMODINIT_FUNC PyInit__native(void);

PyMODINIT_FUNC PyInit__native(void) {
    PyMethodDef *const tables[] = {data_methods,     model_methods,  sample_methods,
                                   complete_methods, report_methods, theory_methods};
    PyObject *module = PyModule_Create(&definition);
    int ok = module != NULL && errors_init(module) == 0;
    for (size_t k = 0; ok && k < sizeof tables / sizeof *tables; k++)
        ok = PyModule_AddFunctions(module, tables[k]) == 0;
    if (!ok)
        Py_CLEAR(module);
    return module;
}
