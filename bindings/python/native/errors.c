/* Statuses of the library as exceptions of Python.
 *
 * An option stands in backquotes in a message, as the library spells it (`prior-sd`); here it
 * becomes what a user of the package would write: a parameter (`prior_sd`, `lam`), a call of
 * pandas.
 */
#include "native.h"

#include <stdbool.h>
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

/* Options that parameters of the package call otherwise. */
static const struct {
    const char *option, *parameter;
} names[] = {{"lambda", "lam"},
             {"lambda-grid", "lam_grid"},
             {"weights", "sample_weight"},
             {"group", "groups"},
             {"positive", "y == "}};

struct spelling {
    char text[2400];
    size_t length;
};

static void put(struct spelling *s, const char *from, size_t count) {
    for (size_t k = 0; k < count && s->length < sizeof s->text - 1; k++)
        s->text[s->length++] = from[k];
    s->text[s->length] = '\0';
}

static void put_text(struct spelling *s, const char *text) {
    put(s, text, strlen(text));
}

/* The name of an option, which came between backquotes. */
static void put_option(struct spelling *s, const char *from, size_t count) {
    for (size_t k = 0; k < sizeof names / sizeof *names; k++)
        if (strlen(names[k].option) == count && memcmp(names[k].option, from, count) == 0) {
            put_text(s, names[k].parameter);
            return;
        }
    for (size_t k = 0; k < count; k++)
        put(s, from[k] == '-' ? "_" : from + k, 1);
}

/* "`drop` NAME leaves it out" is said of a frame here: "X.drop(columns='NAME') leaves it out".
 * Returns what comes behind NAME, or NULL where it is something else. */
static const char *put_drop(struct spelling *s, const char *from) {
    static const char begin[] = "`drop` ", end[] = " leaves it out";
    const char *name = from + strlen(begin),
               *behind = strncmp(from, begin, strlen(begin)) == 0 ? strstr(name, end) : NULL;
    if (behind == NULL)
        return NULL;
    put_text(s, "X.drop(columns='");
    bool marked = name[0] == '`' && behind - name > 1; /* more than a word: between backquotes */
    put(s, name + marked, (size_t)(behind - name) - (marked ? 2 : 0));
    put_text(s, "')");
    return behind;
}

static void spell(struct spelling *s, const char *message) {
    for (const char *at = message, *end; *at != '\0';) {
        if (*at == '`' && (end = put_drop(s, at)) != NULL) {
            at = end;
        } else if (*at == '`' && (end = strchr(at + 1, '`')) != NULL &&
                   at + 1 + strspn(at + 1, "abcdefghijklmnopqrstuvwxyz-") != end) {
            put_text(s, "'"); /* a value */
            put(s, at + 1, (size_t)(end - at - 1));
            put_text(s, "'");
            at = end + 1;
        } else if (*at == '`' && (end = strchr(at + 1, '`')) != NULL) {
            bool sign = strncmp(at, "`positive` ", 11) == 0; /* y == LABEL, without quotes */
            put(s, "`", !sign);
            put_option(s, at + 1, (size_t)(end - at - 1));
            put(s, "`", !sign);
            at = end + 1 + sign;
        } else {
            put(s, at++, 1);
        }
    }
}

PyObject *spelled(const char *message) {
    struct spelling s = {.length = 0};
    spell(&s, message);
    return PyUnicode_DecodeUTF8(s.text, (Py_ssize_t)s.length, "replace");
}

/* The library's texts end at a NUL: what is behind one would be lost in silence. */
const char *text_whole(gbs_status status, PyObject *object, const char *where, const char *name,
                       Py_ssize_t at) {
    Py_ssize_t size;
    const char *text = PyUnicode_AsUTF8AndSize(object, &size);
    if (text == NULL || strlen(text) == (size_t)size)
        return text;
    PyObject *place = PyUnicode_FromFormat(where, name, at),
             *message = place != NULL
                            ? PyUnicode_FromFormat("%U%R has a NUL character in it, which a text "
                                                   "cannot have here",
                                                   place, object)
                            : NULL;
    if (message != NULL && (text = PyUnicode_AsUTF8AndSize(message, NULL)) != NULL)
        errors_raise(status, text);
    Py_XDECREF(message);
    Py_XDECREF(place);
    return NULL;
}

/* The exception has the status as its attribute `code`. */
void errors_raise(gbs_status status, const char *message) {
    const char *code;
    PyObject *kind = kind_of(status, &code), *text = spelled(message),
             *error = text != NULL ? PyObject_CallFunctionObjArgs(kind, text, NULL) : NULL;
    PyObject *name = error != NULL ? PyUnicode_FromString(code) : NULL;
    if (name != NULL && PyObject_SetAttrString(error, "code", name) == 0)
        PyErr_SetObject(kind, error);
    Py_XDECREF(name);
    Py_XDECREF(error);
    Py_XDECREF(text);
}
