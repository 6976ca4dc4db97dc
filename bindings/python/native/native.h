/* The extension module: the public header of the library for Python.
 *
 * Only the limited interface of Python 3.11 is used (one build for all later versions), and arrays
 * come and go by the buffer protocol: no header of NumPy. Handles are capsules. While the library
 * computes, Python's lock is free.
 */
#ifndef GIBBSITE_PYTHON_NATIVE_H
#define GIBBSITE_PYTHON_NATIVE_H

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#include <gibbsite.h>

/* ---------------------------------------------------------------- one call (call.c) */

/* A call of the library: its context, what it says meanwhile, and Python's lock. */
typedef struct call {
    gbs_context *ctx;
    PyThreadState *thread; /* not NULL: the lock is free */
    PyObject *progress;    /* callable or NULL */
    PyObject *messages;    /* list of texts: warnings of the library */
    int stopped;           /* a Python exception waits */
} call;

/* seed and threads as they come from Python; progress may be None. False: an exception is set. */
int call_begin(call *c, unsigned long long seed, int threads, PyObject *progress);
/* Around what computes. */
void call_unlock(call *c);
void call_lock(call *c);
/* The status of what was called: true where it is GBS_OK, else an exception is set. */
int call_done(call *c, gbs_status status);
/* Takes everything back; returns `result`. */
PyObject *call_end(call *c, PyObject *result);

/* Options of a command from a dict of texts (None: a flag). NULL: an exception is set. */
gbs_options *call_options(call *c, const char *command, PyObject *given);

/* ---------------------------------------------------------------- texts and files (texts.c) */

/* Ends a call that gave a text, which goes back to the library: a str. */
PyObject *call_end_text(call *c, gbs_status status, char *text, size_t size);
/* The same of the bytes of a file. */
PyObject *call_end_file(call *c, gbs_status status, char *bytes, size_t size);
/* A text as a str, NULL as None. */
PyObject *text_or_none(const char *text);
/* The bytes of a file out of bytes or a str, which keeps them. False: an exception is set. */
int file_of(PyObject *object, const char **bytes, Py_ssize_t *size);

/* Exceptions (errors.c): set when the module is made. */
int errors_init(PyObject *module);
void errors_raise(gbs_status status, const char *message);
/* A text without a NUL in it, as UTF-8 that lives as long as `object`; else NULL and an exception
 * of this status, which begins with `where`, a format of `name` and `at`. */
const char *text_whole(gbs_status status, PyObject *object, const char *where, const char *name,
                       Py_ssize_t at);
/* A message of the library in the words of the package. */
PyObject *spelled(const char *message);

/* ---------------------------------------------------------------- arrays (arrays.c) */

/* An array of one or two dimensions that is there as long as the view. */
typedef struct array {
    Py_buffer view;
    Py_ssize_t rows, columns; /* of one dimension: columns is 1 */
    Py_ssize_t stride;        /* elements from row to row */
} array;

/* Numbers of the kind that `format` names ("d", "q", "i", "B"), in C order within a row. `what`
 * stands in messages. False: an exception is set, and there is nothing to give back. */
int array_take(PyObject *object, const char *format, int dimensions, int writable, const char *what,
               array *out);
/* A matrix of doubles or singles in any order; gbs_data_strided reads it. */
int array_matrix(PyObject *object, const char *what, array *out, gbs_cell_type *type,
                 size_t *column_stride);
void array_free(array *a);
/* An output array of so many rows; NULL for None. */
int array_output(PyObject *object, size_t rows, const char *what, array *out, double **values);
/* Several of them, all or none; NULL for each None. */
int array_outputs(PyObject *const objects[], int count, size_t rows, const char *const names[],
                  array *arrays, double **values);
void arrays_free(array *arrays, int count);

/* ---------------------------------------------------------------- handles */

/* Data, with the arrays that it borrows. */
typedef struct held_data {
    gbs_data *data;
    array arrays[5];
    int count;
} held_data;

#define DATA_NAME "gibbsite.data"
#define TABLE_NAME "gibbsite.table"
#define MODEL_NAME "gibbsite.model"
#define PARTICLES_NAME "gibbsite.particles"
#define COMPLETION_NAME "gibbsite.completion"

gbs_data *data_of(PyObject *capsule);
gbs_model *model_of(PyObject *capsule);
gbs_particles *particles_of(PyObject *capsule);
gbs_completion *completion_of(PyObject *capsule);
PyObject *model_capsule(gbs_model *model);
PyObject *particles_capsule(gbs_particles *particles);
PyObject *completion_capsule(gbs_completion *completion);

/* ---------------------------------------------------------------- tables of functions */

extern PyMethodDef data_methods[], model_methods[], sample_methods[], complete_methods[],
    report_methods[], theory_methods[];

#endif
