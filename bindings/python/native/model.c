/* Models: fitted, told, asked for predictions, kept in files. */
#include "native.h"

static void free_model(PyObject *capsule) {
    gbs_model_free(PyCapsule_GetPointer(capsule, MODEL_NAME));
}

gbs_model *model_of(PyObject *capsule) {
    return PyCapsule_GetPointer(capsule, MODEL_NAME);
}

PyObject *model_capsule(gbs_model *model) {
    PyObject *capsule = PyCapsule_New(model, MODEL_NAME, free_model);
    if (capsule == NULL)
        gbs_model_free(model);
    return capsule;
}

/* start: a model to start from, or None. (model, warnings) */
static PyObject *fit(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *from, *given, *progress, *result = NULL;
    unsigned long long seed;
    int threads;
    gbs_model *model = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOOKiO", &capsule, &from, &given, &seed, &threads, &progress))
        return NULL;
    gbs_data *data = data_of(capsule);
    const gbs_model *start = data != NULL && from != Py_None ? model_of(from) : NULL;
    if (data == NULL || (from != Py_None && start == NULL) ||
        !call_begin(&c, seed, threads, progress))
        return NULL;
    gbs_options *o = call_options(&c, "fit", given);
    if (o != NULL) {
        call_unlock(&c);
        gbs_status status = gbs_fit_from(c.ctx, data, o, start, &model);
        int ok = call_done(&c, status);
        if (!ok)
            gbs_model_free(model);
        PyObject *made = ok ? model_capsule(model) : NULL;
        result = made != NULL ? PyTuple_Pack(2, made, c.messages) : NULL;
        Py_XDECREF(made);
    }
    gbs_options_free(o);
    return call_end(&c, result);
}

/* ---------------------------------------------------------------- texts */

static PyObject *describe(PyObject *self, PyObject *capsule) {
    gbs_model *model = model_of(capsule);
    char *text = NULL;
    size_t size = 0;
    call c;
    (void)self;
    if (model == NULL || !call_begin(&c, 1, 1, Py_None))
        return NULL;
    gbs_status status = gbs_model_describe_json(c.ctx, model, 0, &text, &size);
    return call_end_text(&c, status, text, size);
}

static PyObject *to_json(PyObject *self, PyObject *capsule) {
    gbs_model *model = model_of(capsule);
    char *text = NULL;
    size_t size = 0;
    call c;
    (void)self;
    if (model == NULL || !call_begin(&c, 1, 1, Py_None))
        return NULL;
    call_unlock(&c);
    gbs_status status = gbs_model_to_json(c.ctx, model, &text, &size);
    return call_end_file(&c, status, text, size);
}

static PyObject *from_json(PyObject *self, PyObject *object) {
    Py_ssize_t size;
    gbs_model *model = NULL;
    const char *text;
    call c;
    (void)self;
    if (!file_of(object, &text, &size) || !call_begin(&c, 1, 1, Py_None))
        return NULL;
    call_unlock(&c);
    gbs_status status = gbs_model_from_json(c.ctx, text, (size_t)size, &model);
    PyObject *result = call_done(&c, status) ? model_capsule(model) : NULL;
    return call_end(&c, result);
}

static PyObject *recipe(PyObject *self, PyObject *capsule) {
    gbs_model *model = model_of(capsule);
    (void)self;
    return model != NULL ? text_or_none(gbs_model_recipe(model)) : NULL;
}

static PyObject *set_recipe(PyObject *self, PyObject *arguments) {
    PyObject *capsule;
    const char *json;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Os", &capsule, &json))
        return NULL;
    gbs_model *model = model_of(capsule);
    if (model == NULL || !call_begin(&c, 1, 1, Py_None))
        return NULL;
    int ok = call_done(&c, gbs_model_set_recipe(c.ctx, model, json));
    return call_end(&c, ok ? Py_NewRef(Py_None) : NULL);
}

/* ---------------------------------------------------------------- files */

/* A file of the program or of this package, whatever it holds: (kind, handle). */
static PyObject *load(PyObject *self, PyObject *arguments) {
    PyObject *path, *made = NULL, *result = NULL;
    const char *kind = "";
    gbs_model *model = NULL;
    gbs_particles *particles = NULL;
    gbs_completion *completion = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "O&", PyUnicode_FSConverter, &path))
        return NULL;
    int ok = call_begin(&c, 1, 1, Py_None);
    if (ok) {
        call_unlock(&c);
        gbs_status status = gbs_load_any(c.ctx, PyBytes_AsString(path), &model, &particles,
                                         &completion);
        if (call_done(&c, status)) {
            kind = model != NULL ? "model" : particles != NULL ? "sample" : "completion";
            made = model != NULL       ? model_capsule(model)
                   : particles != NULL ? particles_capsule(particles)
                                       : completion_capsule(completion);
        } else {
            gbs_model_free(model);
            gbs_particles_free(particles);
            gbs_completion_free(completion);
        }
        if (made != NULL)
            result = Py_BuildValue("(sO)", kind, made);
        call_end(&c, NULL);
    }
    Py_XDECREF(made);
    Py_DECREF(path);
    return result;
}

/* ---------------------------------------------------------------- predictions */

/* Outputs that a caller wants: some are None. */
enum { OUTPUTS = 4 };

static PyObject *classify(PyObject *self, PyObject *arguments) {
    static const char *const names[] = {"label", "probability", "score", "vote"};
    PyObject *of, *rows, *objects[OUTPUTS], *result = NULL;
    int threads;
    array arrays[OUTPUTS];
    double *out[OUTPUTS];
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOiOOOO", &of, &rows, &threads, &objects[0], &objects[1],
                          &objects[2], &objects[3]))
        return NULL;
    gbs_model *model = model_of(of);
    gbs_data *data = model != NULL ? data_of(rows) : NULL;
    if (data == NULL || !array_outputs(objects, 4, gbs_data_rows(data), names, arrays, out))
        return NULL;
    if (call_begin(&c, 1, threads, Py_None)) {
        call_unlock(&c);
        gbs_status status = gbs_model_classify(c.ctx, model, data, out[0], out[1], out[2], out[3]);
        result = call_done(&c, status) ? Py_NewRef(Py_None) : NULL;
        call_end(&c, NULL);
    }
    arrays_free(arrays, OUTPUTS);
    return result;
}

static PyObject *predict(PyObject *self, PyObject *arguments) {
    static const char *const names[] = {"score", "score_sd", "probability"};
    PyObject *of, *rows, *objects[3], *result = NULL;
    int threads;
    array arrays[3];
    double *out[3];
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOiOOO", &of, &rows, &threads, &objects[0], &objects[1],
                          &objects[2]))
        return NULL;
    gbs_model *model = model_of(of);
    gbs_data *data = model != NULL ? data_of(rows) : NULL;
    if (data == NULL || !array_outputs(objects, 3, gbs_data_rows(data), names, arrays, out))
        return NULL;
    if (call_begin(&c, 1, threads, Py_None)) {
        call_unlock(&c);
        gbs_status status = gbs_model_predict(c.ctx, model, data, out[0], out[1], out[2]);
        result = call_done(&c, status) ? Py_NewRef(Py_None) : NULL;
        call_end(&c, NULL);
    }
    arrays_free(arrays, 3);
    return result;
}

/* Of any number of classes: the number of each row's class, the probability of each class. */
static PyObject *classify_rows(PyObject *self, PyObject *arguments) {
    PyObject *of, *rows, *classes, *probabilities, *result = NULL;
    int threads;
    array class_of = {0}, out = {0};
    double *probability;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOiOO", &of, &rows, &threads, &classes, &probabilities))
        return NULL;
    gbs_model *model = model_of(of);
    gbs_data *data = model != NULL ? data_of(rows) : NULL;
    size_t count = data != NULL ? gbs_model_classes(model) : 0,
           n = data != NULL ? gbs_data_rows(data) : 0;
    int ok = data != NULL &&
             (classes == Py_None || array_take(classes, "I", 1, 1, "class_of", &class_of));
    if (ok && classes != Py_None && (size_t)class_of.rows != n) {
        PyErr_SetString(PyExc_ValueError, "class_of has not as many rows as the data");
        ok = 0;
    }
    ok = ok && array_output(probabilities, n * count, "probability", &out, &probability);
    if (ok && call_begin(&c, 1, threads, Py_None)) {
        call_unlock(&c);
        gbs_status status = gbs_model_classify_rows(c.ctx, model, data, n, count, class_of.view.buf,
                                                    probability);
        result = call_done(&c, status) ? Py_NewRef(Py_None) : NULL;
        call_end(&c, NULL);
    }
    array_free(&class_of);
    array_free(&out);
    return result;
}

/* The intercept; the coefficients of the columns as they came go into the array. */
static PyObject *linear(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *object, *result = NULL;
    array out;
    double *coefficient, intercept;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OO", &capsule, &object))
        return NULL;
    gbs_model *model = model_of(capsule);
    if (model == NULL || !array_output(object, gbs_model_get_info(model)->features, "coefficient",
                                       &out, &coefficient))
        return NULL;
    if (call_begin(&c, 1, 1, Py_None)) {
        gbs_status status = gbs_model_linear(c.ctx, model, coefficient, &intercept);
        result = call_done(&c, status) ? PyFloat_FromDouble(intercept) : NULL;
        call_end(&c, NULL);
    }
    array_free(&out);
    return result;
}

static PyObject *features(PyObject *self, PyObject *capsule) {
    gbs_model *model = model_of(capsule);
    (void)self;
    return model != NULL ? PyLong_FromSize_t(gbs_model_get_info(model)->features) : NULL;
}

PyMethodDef model_methods[] = {
    {"fit", fit, METH_VARARGS,
     "fit(data, start, options, seed, threads, progress): model, warnings"},
    {"describe", describe, METH_O, "describe(model): JSON"},
    {"to_json", to_json, METH_O, "to_json(model): the bytes of a model file"},
    {"from_json", from_json, METH_O, "from_json(bytes): model"},
    {"recipe", recipe, METH_O, "recipe(model): JSON or None"},
    {"set_recipe", set_recipe, METH_VARARGS, "set_recipe(model, json)"},
    {"load", load, METH_VARARGS, "load(path): kind, handle"},
    {"classify", classify, METH_VARARGS,
     "classify(model, data, threads, label, probability, score, vote): arrays or None"},
    {"predict", predict, METH_VARARGS,
     "predict(model, data, threads, score, score_sd, probability): arrays or None"},
    {"classify_rows", classify_rows, METH_VARARGS,
     "classify_rows(model, data, threads, class_of, probability): arrays or None"},
    {"linear", linear, METH_VARARGS, "linear(model, coefficient): the intercept"},
    {"features", features, METH_O, "features(model): columns that it takes"},
    {NULL, NULL, 0, NULL},
};
