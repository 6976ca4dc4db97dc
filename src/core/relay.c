/* Stages from rank to rank, one behind the other: with P ranks and S stages all take as long as
 * (S + P - 1)/S times one rank's share of the work. */
#include "core/ranks.h"

gbs_status gbs_crew_relay(gbs_context *ctx, const gbs_relay *relay) {
    gbs_crew *crew = ctx->crew;
    const gbs_ranks *r = &crew->ranks;
    gbs_status status = GBS_OK;
    bool well = gbs_crew_meet(crew, (int64_t)relay->total.bytes, &status, ctx->error);
    for (size_t t = 0; well && t < relay->stages; t++) {
        gbs_baton piece[GBS_RELAY_BATONS] = {{0}};
        if (r->rank > 0)
            relay->pieces(relay->arg, t, false, piece);
        for (size_t k = 0; well && k < GBS_RELAY_BATONS; k++)
            if (piece[k].bytes > 0)
                well = r->receive(r->user, r->rank - 1, piece[k].base, piece[k].bytes) == 0;
        if (well)
            relay->work(relay->arg, t);
        if (!well || r->rank + 1 == r->size)
            continue;
        relay->pieces(relay->arg, t, true, piece);
        for (size_t k = 0; well && k < GBS_RELAY_BATONS; k++)
            if (piece[k].bytes > 0) {
                well = r->send(r->user, r->rank + 1, piece[k].base, piece[k].bytes) == 0;
                crew->sent += piece[k].bytes;
            }
    }
    if (well)
        well = r->broadcast(r->user, r->size - 1, relay->total.base, relay->total.bytes) == 0;
    if (r->rank + 1 == r->size)
        crew->sent += relay->total.bytes;
    if (!well && !crew->lost)
        gbs_crew_give_up(crew, GBS_CREW_SILENT);
    return well ? GBS_OK : gbs_fail(ctx, GBS_ERR_IO, "%s", crew->words);
}
