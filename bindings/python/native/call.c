/* One call of the library: context, callbacks, options. */
#include "native.h"

/* Often enough for Ctrl-C within a tenth of a second, seldom enough to cost nothing: each look
 * takes Python's lock. */
#define SECONDS_A_LOOK 0.05

static int cancelled(void *user) {
    call *c = user;
    call_lock(c);
    c->stopped = c->stopped || PyErr_CheckSignals() != 0;
    call_unlock(c);
    return c->stopped;
}

static void told(const char *stage, double done, void *user) {
    call *c = user;
    if (c->stopped)
        return;
    call_lock(c);
    PyObject *answer = PyObject_CallFunction(c->progress, "sd", stage, done);
    Py_XDECREF(answer);
    c->stopped = answer == NULL;
    call_unlock(c);
}

static void logged(gbs_log_level level, const char *message, void *user) {
    call *c = user;
    if (level != GBS_LOG_WARNING || c->stopped)
        return;
    call_lock(c);
    PyObject *text = spelled(message);
    c->stopped = text == NULL || PyList_Append(c->messages, text) != 0;
    Py_XDECREF(text);
    call_unlock(c);
}

/* The library may also be called with the lock held: then there is nothing to take. */
void call_unlock(call *c) {
    if (c->thread == NULL)
        c->thread = PyEval_SaveThread();
}

void call_lock(call *c) {
    if (c->thread != NULL)
        PyEval_RestoreThread(c->thread);
    c->thread = NULL;
}

int call_begin(call *c, unsigned long long seed, int threads, PyObject *progress) {
    *c = (call){.progress = progress == Py_None ? NULL : progress};
    c->messages = PyList_New(0);
    if (c->messages == NULL)
        return 0;
    gbs_status status = gbs_context_create(NULL, &c->ctx);
    if (status == GBS_OK && threads > 0)
        status = gbs_context_set_threads(c->ctx, threads);
    if (status == GBS_OK)
        status = gbs_context_set_seed(c->ctx, seed);
    if (status == GBS_OK)
        status = gbs_context_set_log(c->ctx, logged, c);
    if (status == GBS_OK && c->progress != NULL)
        status = gbs_context_set_progress(c->ctx, told, c);
    if (status == GBS_OK)
        status = gbs_context_set_cancel(c->ctx, cancelled, c);
    if (status == GBS_OK)
        status = gbs_context_set_cancel_pause(c->ctx, SECONDS_A_LOOK);
    if (status == GBS_OK)
        return 1;
    errors_raise(status, c->ctx != NULL ? gbs_error_message(c->ctx) : gbs_status_message(status));
    call_end(c, NULL);
    return 0;
}

int call_done(call *c, gbs_status status) {
    call_lock(c);
    if (c->stopped) /* its own exception says more than any status */
        return 0;
    if (status != GBS_OK)
        errors_raise(status, gbs_error_message(c->ctx));
    return status == GBS_OK;
}

PyObject *call_end(call *c, PyObject *result) {
    call_lock(c);
    gbs_context_free(c->ctx);
    Py_XDECREF(c->messages);
    *c = (call){0};
    return result;
}

/* ---------------------------------------------------------------- options */

static int set_option(call *c, gbs_options *o, PyObject *key, PyObject *value) {
    const char *name = PyUnicode_AsUTF8AndSize(key, NULL), *text = NULL;
    if (name == NULL)
        return 0;
    if (value != Py_None &&
        (text = text_whole(GBS_ERR_ARGUMENT, value, "option '%s': ", name, 0)) == NULL)
        return 0;
    return call_done(c, gbs_options_set(o, name, text));
}

gbs_options *call_options(call *c, const char *command, PyObject *given) {
    gbs_options *o = NULL;
    PyObject *key, *value;
    Py_ssize_t at = 0;
    if (!call_done(c, gbs_options_create(c->ctx, command, &o)))
        return NULL;
    if (!PyDict_Check(given)) {
        PyErr_SetString(PyExc_TypeError, "options must be a dict");
        gbs_options_free(o);
        return NULL;
    }
    while (PyDict_Next(given, &at, &key, &value))
        if (!set_option(c, o, key, value)) {
            gbs_options_free(o);
            return NULL;
        }
    return o;
}
