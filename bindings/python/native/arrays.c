/* Arrays by the buffer protocol. */
#include "native.h"

#include <string.h>

/* One letter, perhaps after a byte order that is this machine's. 'l' and 'q' are the same here, and
 * so are 'L' and 'Q'. */
static char letter_of(const char *format) {
    if (format == NULL)
        return 'B';
    if (*format == '@' || *format == '=' || *format == '<')
        format++;
    if (format[0] == '\0' || format[1] != '\0')
        return '\0';
    return *format == 'l' ? 'q' : *format == 'L' ? 'Q' : *format == '?' ? 'B' : *format;
}

int array_take(PyObject *object, const char *format, int dimensions, int writable, const char *what,
               array *out) {
    memset(out, 0, sizeof *out);
    if (PyObject_GetBuffer(object, &out->view,
                           PyBUF_FORMAT | PyBUF_STRIDES | (writable ? PyBUF_WRITABLE : 0)) != 0)
        return 0;
    const Py_buffer *v = &out->view;
    const char *wrong = NULL;
    if (letter_of(v->format) != *format)
        wrong = "another type of numbers";
    else if (v->ndim != dimensions)
        wrong = "another number of dimensions";
    else if (v->strides[dimensions - 1] != v->itemsize && v->shape[dimensions - 1] > 1)
        wrong = "elements that do not follow each other";
    else if (dimensions == 2 && v->strides[0] % v->itemsize != 0)
        wrong = "rows between elements";
    else if (dimensions == 2 && v->shape[0] > 1 && v->strides[0] / v->itemsize < v->shape[1])
        wrong = "rows that overlap";
    if (wrong != NULL) {
        PyErr_Format(PyExc_TypeError, "%s: expected an array of '%s', found %s", what, format,
                     wrong);
        array_free(out);
        return 0;
    }
    out->rows = v->shape[0];
    out->columns = dimensions == 2 ? v->shape[1] : 1;
    out->stride = dimensions == 2 && v->shape[0] > 1 ? v->strides[0] / v->itemsize : out->columns;
    return 1;
}

int array_matrix(PyObject *object, const char *what, array *out, gbs_cell_type *type,
                 size_t *column_stride) {
    memset(out, 0, sizeof *out);
    if (PyObject_GetBuffer(object, &out->view, PyBUF_FORMAT | PyBUF_STRIDES) != 0)
        return 0;
    const Py_buffer *v = &out->view;
    char letter = letter_of(v->format);
    const char *wrong = NULL;
    if (letter != 'd' && letter != 'f')
        wrong = "another type of numbers";
    else if (v->ndim != 2)
        wrong = "another number of dimensions";
    for (int k = 0; wrong == NULL && k < 2; k++)
        if (v->shape[k] > 1 && (v->strides[k] <= 0 || v->strides[k] % v->itemsize != 0))
            wrong = "steps that lead back, or between elements";
    if (wrong != NULL) {
        PyErr_Format(PyExc_TypeError, "%s: expected a matrix of floats, found %s", what, wrong);
        array_free(out);
        return 0;
    }
    *type = letter == 'd' ? GBS_CELL_DOUBLE : GBS_CELL_FLOAT;
    out->rows = v->shape[0];
    out->columns = v->shape[1];
    out->stride = v->shape[0] > 1 ? v->strides[0] / v->itemsize : out->columns;
    *column_stride = v->shape[1] > 1 ? (size_t)(v->strides[1] / v->itemsize) : 1;
    return 1;
}

void array_free(array *a) {
    if (a->view.obj != NULL)
        PyBuffer_Release(&a->view);
    memset(a, 0, sizeof *a);
}

int array_output(PyObject *object, size_t rows, const char *what, array *out, double **values) {
    memset(out, 0, sizeof *out);
    *values = NULL;
    if (object == Py_None)
        return 1;
    if (!array_take(object, "d", 1, 1, what, out))
        return 0;
    if ((size_t)out->rows != rows) {
        PyErr_Format(PyExc_ValueError, "%s has room for %zd rows, not %zu", what, out->rows, rows);
        array_free(out);
        return 0;
    }
    *values = out->view.buf;
    return 1;
}

int array_outputs(PyObject *const objects[], int count, size_t rows, const char *const names[],
                  array *arrays, double **values) {
    for (int k = 0; k < count; k++)
        if (!array_output(objects[k], rows, names[k], &arrays[k], &values[k])) {
            arrays_free(arrays, k);
            return 0;
        }
    return 1;
}

void arrays_free(array *arrays, int count) {
    for (int k = 0; k < count; k++)
        array_free(&arrays[k]);
}
