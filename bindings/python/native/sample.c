/* Samples of the Gibbs posterior, and how far a fitted model is from it. */
#include "native.h"

#include <string.h>

static void free_particles(PyObject *capsule) {
    gbs_particles_free(PyCapsule_GetPointer(capsule, PARTICLES_NAME));
}

gbs_particles *particles_of(PyObject *capsule) {
    return PyCapsule_GetPointer(capsule, PARTICLES_NAME);
}

PyObject *particles_capsule(gbs_particles *particles) {
    PyObject *capsule = PyCapsule_New(particles, PARTICLES_NAME, free_particles);
    if (capsule == NULL)
        gbs_particles_free(particles);
    return capsule;
}

/* Of three classes or more the binary problem `stage`, which has one stage; NULL: not learned. */
static const gbs_model *posterior_of(const gbs_model *model, size_t *stage) {
    if (gbs_model_classes(model) <= 2)
        return model;
    model = gbs_model_part(model, *stage, NULL, NULL);
    *stage = 0;
    return model;
}

/* model None: the posterior that the options of "sample" name; else the one that stage `stage` of
 * the model, or its binary problem `stage`, approximates. (particles, warnings) */
static PyObject *sample(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *of, *given, *progress, *result = NULL;
    unsigned long long seed;
    Py_ssize_t stage;
    int threads;
    gbs_particles *particles = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOnOKiO", &capsule, &of, &stage, &given, &seed, &threads,
                          &progress))
        return NULL;
    gbs_data *data = data_of(capsule);
    const gbs_model *model = data != NULL && of != Py_None ? model_of(of) : NULL;
    size_t at = (size_t)stage;
    if (model != NULL && (model = posterior_of(model, &at)) == NULL)
        PyErr_SetString(PyExc_IndexError, "there is no such binary problem");
    if (data == NULL || (of != Py_None && model == NULL) ||
        !call_begin(&c, seed, threads, progress))
        return NULL;
    gbs_options *o = call_options(&c, "sample", given);
    if (o != NULL) {
        call_unlock(&c);
        gbs_status status = model != NULL ? gbs_sample_for(c.ctx, data, model, at, o, &particles)
                                          : gbs_sample(c.ctx, data, o, &particles);
        int ok = call_done(&c, status);
        if (!ok)
            gbs_particles_free(particles);
        PyObject *made = ok ? particles_capsule(particles) : NULL;
        result = made != NULL ? PyTuple_Pack(2, made, c.messages) : NULL;
        Py_XDECREF(made);
    }
    gbs_options_free(o);
    return call_end(&c, result);
}

static PyObject *sample_describe(PyObject *self, PyObject *capsule) {
    gbs_particles *particles = particles_of(capsule);
    char *text = NULL;
    size_t size = 0;
    call c;
    (void)self;
    if (particles == NULL || !call_begin(&c, 1, 1, Py_None))
        return NULL;
    gbs_status status = gbs_particles_describe_json(c.ctx, particles, 0, &text, &size);
    return call_end_text(&c, status, text, size);
}

static PyObject *sample_features(PyObject *self, PyObject *capsule) {
    gbs_particles *particles = particles_of(capsule);
    (void)self;
    return particles != NULL ? PyLong_FromSize_t(gbs_particles_get_info(particles)->features)
                             : NULL;
}

static PyObject *sample_recipe(PyObject *self, PyObject *capsule) {
    gbs_particles *particles = particles_of(capsule);
    (void)self;
    return particles != NULL ? text_or_none(gbs_particles_recipe(particles)) : NULL;
}

/* The thetas, particles x d, into an array of one dimension. */
static PyObject *sample_draws(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *object;
    array out;
    double *values;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OO", &capsule, &object))
        return NULL;
    gbs_particles *particles = particles_of(capsule);
    if (particles == NULL)
        return NULL;
    const gbs_sample_info *i = gbs_particles_get_info(particles);
    if (!array_output(object, i->particles * i->d, "draws", &out, &values))
        return NULL;
    memcpy(values, gbs_particles_draws(particles), i->particles * i->d * sizeof *values);
    array_free(&out);
    Py_RETURN_NONE;
}

static PyObject *sample_predict(PyObject *self, PyObject *arguments) {
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
    gbs_particles *particles = particles_of(of);
    gbs_data *data = particles != NULL ? data_of(rows) : NULL;
    if (data == NULL || !array_outputs(objects, 3, gbs_data_rows(data), names, arrays, out))
        return NULL;
    if (call_begin(&c, 1, threads, Py_None)) {
        call_unlock(&c);
        gbs_status status = gbs_particles_predict(c.ctx, particles, data, out[0], out[1], out[2]);
        result = call_done(&c, status) ? Py_NewRef(Py_None) : NULL;
        call_end(&c, NULL);
    }
    arrays_free(arrays, 3);
    return result;
}

static PyObject *sample_to_json(PyObject *self, PyObject *capsule) {
    gbs_particles *particles = particles_of(capsule);
    char *text = NULL;
    size_t size = 0;
    call c;
    (void)self;
    if (particles == NULL || !call_begin(&c, 1, 1, Py_None))
        return NULL;
    gbs_status status = gbs_particles_to_json(c.ctx, particles, &text, &size);
    return call_end_file(&c, status, text, size);
}

static PyObject *sample_from_json(PyObject *self, PyObject *object) {
    Py_ssize_t size;
    gbs_particles *particles = NULL;
    const char *text;
    call c;
    (void)self;
    if (!file_of(object, &text, &size) || !call_begin(&c, 1, 1, Py_None))
        return NULL;
    gbs_status status = gbs_particles_from_json(c.ctx, text, (size_t)size, &particles);
    PyObject *result = call_done(&c, status) ? particles_capsule(particles) : NULL;
    return call_end(&c, result);
}

static PyObject *sample_set_recipe(PyObject *self, PyObject *arguments) {
    PyObject *capsule;
    const char *json;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "Os", &capsule, &json))
        return NULL;
    gbs_particles *particles = particles_of(capsule);
    if (particles == NULL || !call_begin(&c, 1, 1, Py_None))
        return NULL;
    int ok = call_done(&c, gbs_particles_set_recipe(c.ctx, particles, json));
    return call_end(&c, ok ? Py_NewRef(Py_None) : NULL);
}

static PyObject *gap(PyObject *self, PyObject *arguments) {
    PyObject *capsule, *of, *with, *result = NULL;
    Py_ssize_t stage;
    gbs_gap *g = NULL;
    call c;
    (void)self;
    if (!PyArg_ParseTuple(arguments, "OOnO", &capsule, &of, &stage, &with))
        return NULL;
    gbs_data *data = data_of(capsule);
    size_t at = (size_t)stage;
    const gbs_model *model = data != NULL ? model_of(of) : NULL;
    if (model != NULL && (model = posterior_of(model, &at)) == NULL)
        PyErr_SetString(PyExc_IndexError, "there is no such binary problem");
    gbs_particles *particles = model != NULL ? particles_of(with) : NULL;
    if (particles == NULL || !call_begin(&c, 1, 1, Py_None))
        return NULL;
    call_unlock(&c);
    gbs_status status = gbs_measure_gap(c.ctx, data, model, particles, &g);
    if (call_done(&c, status))
        result = Py_BuildValue("{s:d,s:d,s:d,s:d,s:d,s:O}", "gap", g->gap, "gap_sd", g->gap_sd,
                               "gap_over_lambda", g->gap_over_lambda, "free_energy", g->free_energy,
                               "gibbs_risk", g->gibbs_risk, "gap_sd_at_least",
                               g->gap_sd_at_least ? Py_True : Py_False);
    gbs_gap_free(g);
    return call_end(&c, result);
}

/* The binary problems that were learned: a list of (number, class, class against which or None). */
static PyObject *problems(PyObject *self, PyObject *capsule) {
    gbs_model *model = model_of(capsule);
    PyObject *list = model != NULL ? PyList_New(0) : NULL;
    (void)self;
    for (size_t k = 0, one = 0, other = 0; list != NULL; k++) {
        const gbs_model *part = gbs_model_part(model, k, &one, &other);
        if (one == SIZE_MAX) /* beyond the last */
            break;
        if (part == NULL)
            continue;
        PyObject *item = other == SIZE_MAX
                             ? Py_BuildValue("(nnO)", (Py_ssize_t)k, (Py_ssize_t)one, Py_None)
                             : Py_BuildValue("(nnn)", (Py_ssize_t)k, (Py_ssize_t)one,
                                             (Py_ssize_t)other);
        if (item == NULL || PyList_Append(list, item) != 0)
            Py_CLEAR(list);
        Py_XDECREF(item);
    }
    return list;
}

PyMethodDef sample_methods[] = {
    {"sample", sample, METH_VARARGS,
     "sample(data, model, stage, options, seed, threads, progress): particles, warnings"},
    {"sample_describe", sample_describe, METH_O, "sample_describe(particles): JSON"},
    {"sample_features", sample_features, METH_O, "sample_features(particles): columns"},
    {"sample_recipe", sample_recipe, METH_O, "sample_recipe(particles): JSON or None"},
    {"sample_draws", sample_draws, METH_VARARGS, "sample_draws(particles, out)"},
    {"sample_predict", sample_predict, METH_VARARGS,
     "sample_predict(particles, data, threads, score, score_sd, probability)"},
    {"sample_to_json", sample_to_json, METH_O, "sample_to_json(particles): the bytes of a file"},
    {"sample_from_json", sample_from_json, METH_O, "sample_from_json(bytes): particles"},
    {"sample_set_recipe", sample_set_recipe, METH_VARARGS, "sample_set_recipe(particles, json)"},
    {"gap", gap, METH_VARARGS, "gap(data, model, stage, particles): how far from the posterior"},
    {"problems", problems, METH_O, "problems(model): (number, class, other class or None) of each"},
    {NULL, NULL, 0, NULL},
};
