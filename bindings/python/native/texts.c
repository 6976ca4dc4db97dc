/* Texts and files of the library as Python's, and back.
 *
 * What the library tells is text. A file need not be: behind the text of a large completion come
 * bytes (docs/formats.md), so files are bytes here.
 */
#include "native.h"

#include <string.h>

PyObject *text_or_none(const char *text) {
    return text != NULL ? PyUnicode_DecodeUTF8(text, (Py_ssize_t)strlen(text), "replace")
                        : Py_NewRef(Py_None);
}

PyObject *call_end_text(call *c, gbs_status status, char *text, size_t size) {
    PyObject *result = NULL;
    if (call_done(c, status))
        result = PyUnicode_DecodeUTF8(text, (Py_ssize_t)size, "replace");
    gbs_release(c->ctx, text);
    return call_end(c, result);
}

PyObject *call_end_file(call *c, gbs_status status, char *bytes, size_t size) {
    PyObject *result = NULL;
    if (call_done(c, status))
        result = PyBytes_FromStringAndSize(bytes, (Py_ssize_t)size);
    gbs_release(c->ctx, bytes);
    return call_end(c, result);
}

int file_of(PyObject *object, const char **bytes, Py_ssize_t *size) {
    char *own;
    if (PyUnicode_Check(object)) { /* what earlier versions kept */
        *bytes = PyUnicode_AsUTF8AndSize(object, size);
        return *bytes != NULL;
    }
    if (PyBytes_AsStringAndSize(object, &own, size) != 0)
        return 0;
    *bytes = own;
    return 1;
}
