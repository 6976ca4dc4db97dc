/* What every way of a fit keeps in the model: how it was fitted, and the path to it. */
#include "fit/ways.h"

#include <string.h>

gbs_model_info gbs_settled_info(const gbs_fit_settings *o, const gbs_maps *maps,
                                const gbs_data *data) {
    return (gbs_model_info){.task = o->task,
                            .loss = o->loss,
                            .family = o->family,
                            .scale = o->scale,
                            .intercept = o->intercept != 0,
                            .columns = o->columns,
                            .map = gbs_maps_features(maps),
                            .map_axes = gbs_maps_axes(maps),
                            .n = data->n,
                            .features = data->d,
                            .prior = o->prior,
                            .weighted = data->weight != NULL};
}

void gbs_keep_fit(gbs_model *m, const gbs_fit_settings *o, const gbs_data *data,
                  const gbs_posterior *p) {
    const gbs_path_point *at = &p->path[p->chosen];
    size_t before = m->info.iterations;
    int all_converged = m->path != NULL ? m->info.converged : 1;
    m->info = gbs_settled_info(o, &m->maps, data);
    m->info.solver = p->solver;
    m->info.dual = p->stage.dual.rank > 0;
    m->info.d = p->stage.posterior.d;
    m->info.lambda = at->lambda;
    m->info.prior_sd = at->prior_sd;
    m->info.free_energy = at->free_energy;
    m->info.kl = at->kl;
    m->info.gibbs_risk = at->gibbs_risk;
    m->info.optimality_gap = at->optimality_gap;
    m->info.iterations = before;
    m->info.converged = all_converged && at->converged;
    for (size_t t = 0; t < p->rungs; t++)
        m->info.iterations += p->path[t].iterations;
}

/* Several of them, one after the other (a grid of priors), make one path. */
gbs_status gbs_keep_path(gbs_context *ctx, gbs_model *m, gbs_posterior *p, size_t restarts) {
    size_t size = m->path_size + p->traced + p->rungs;
    gbs_path_point *path = gbs_array_alloc(ctx, size, sizeof *path);
    if (path == NULL)
        return GBS_ERR_MEMORY;
    if (m->path_size > 0)
        memcpy(path, m->path, m->path_size * sizeof *path);
    if (p->traced > 0)
        memcpy(path + m->path_size, p->trace, p->traced * sizeof *path);
    memcpy(path + m->path_size + p->traced, p->path, p->rungs * sizeof *path);
    gbs_array_free(ctx, m->path);
    m->path = path;
    m->path_size = size;
    if (p->restarts != NULL) {
        gbs_array_free(ctx, m->restarts);
        m->restarts = p->restarts;
        m->restarts_size = restarts;
        p->restarts = NULL;
    }
    return GBS_OK;
}
