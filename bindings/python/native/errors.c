/* Statuses of the library as exceptions of Python.
 *
 * An option stands in backquotes in a message, as the library spells it (`prior-sd`); here it
 * becomes the name of a parameter (`prior_sd`).
 */
#include "native.h"

#include <string.h>

static PyObject *numeric_error;

int errors_init(PyObject *module) {
    if (numeric_error == NULL)
        numeric_error = PyErr_NewExceptionWithDoc(
            "gibbsite.NumericError", "The computation broke down: overflow, a singular matrix.",
            PyExc_ArithmeticError, NULL);
    if (numeric_error == NULL)
        return -1;
    Py_INCREF(numeric_error);
    if (PyModule_AddObject(module, "NumericError", numeric_error) == 0)
        return 0;
    Py_DECREF(numeric_error);
    return -1;
}

static PyObject *kind_of(gbs_status status, const char **code) {
    switch (status) {
    case GBS_ERR_MEMORY:
        *code = "memory";
        return PyExc_MemoryError;
    case GBS_ERR_IO:
        *code = "io";
        return PyExc_OSError;
    case GBS_ERR_NUMERIC:
        *code = "numeric";
        return numeric_error;
    case GBS_ERR_CANCELLED:
        *code = "cancelled";
        return PyExc_KeyboardInterrupt;
    case GBS_ERR_DATA:
        *code = "data";
        return PyExc_ValueError;
    case GBS_ERR_FORMAT:
        *code = "format";
        return PyExc_ValueError;
    case GBS_ERR_ARGUMENT:
    case GBS_OK:
        break;
    }
    *code = "argument";
    return PyExc_ValueError;
}

static void spell_parameters(char *text) {
    int inside = 0;
    for (; *text != '\0'; text++) {
        if (*text == '`')
            inside = !inside;
        else if (inside && *text == '-')
            *text = '_';
    }
}

/* The exception has the status as its attribute `code`. */
void errors_raise(gbs_status status, const char *message) {
    const char *code;
    char spelled[1200];
    size_t length = strlen(message);
    PyObject *kind = kind_of(status, &code);
    if (length >= sizeof spelled)
        length = sizeof spelled - 1;
    memcpy(spelled, message, length);
    spelled[length] = '\0';
    spell_parameters(spelled);
    PyObject *text = PyUnicode_DecodeUTF8(spelled, (Py_ssize_t)length, "replace");
    PyObject *error = text != NULL ? PyObject_CallFunctionObjArgs(kind, text, NULL) : NULL;
    PyObject *name = error != NULL ? PyUnicode_FromString(code) : NULL;
    if (name != NULL && PyObject_SetAttrString(error, "code", name) == 0)
        PyErr_SetObject(kind, error);
    Py_XDECREF(name);
    Py_XDECREF(error);
    Py_XDECREF(text);
}
