/* Stages from rank to rank, one behind the other: with P ranks and S stages all take as long as
 * (S + P - 1)/S times one rank's share of the work.
 *
 * What comes of a stage goes to its owner while later ones are on their way. Rank p has then worked
 * at stage t + P - 1 - p, and takes the result of stage t before it hands that one on. Nobody waits
 * in a circle, even where a send lasts until it is received: the last rank has stage t, since ranks
 * behind p, who own later stages, have nothing to wait for but what p has sent; and ranks before p,
 * who own earlier ones, have theirs.
 */
#include "core/ranks.h"

static bool take(const gbs_ranks *r, size_t from, gbs_baton b) {
    return b.bytes == 0 || r->receive(r->user, from, b.base, b.bytes) == 0;
}

static bool give(gbs_crew *crew, size_t to, gbs_baton b) {
    const gbs_ranks *r = &crew->ranks;
    crew->sent += b.bytes;
    return b.bytes == 0 || r->send(r->user, to, b.base, b.bytes) == 0;
}

/* What comes of a stage goes from the last rank to its owner. */
static bool deliver(gbs_crew *crew, const gbs_relay *relay, size_t stage) {
    const gbs_ranks *r = &crew->ranks;
    size_t last = r->size - 1, owner = relay->owner(relay->arg, stage);
    if (owner == last || (r->rank != owner && r->rank != last))
        return true;
    gbs_baton piece[GBS_RELAY_BATONS] = {{0}};
    relay->pieces(relay->arg, stage, true, piece);
    return r->rank == last ? give(crew, owner, piece[0]) : take(r, last, piece[0]);
}

static bool run_stage(gbs_crew *crew, const gbs_relay *relay, size_t stage) {
    const gbs_ranks *r = &crew->ranks;
    size_t behind = r->size - 1 - r->rank;
    bool well = true;
    gbs_baton piece[GBS_RELAY_BATONS] = {{0}};
    if (r->rank > 0)
        relay->pieces(relay->arg, stage, false, piece);
    for (size_t k = 0; well && r->rank > 0 && k < GBS_RELAY_BATONS; k++)
        well = take(r, r->rank - 1, piece[k]);
    if (well)
        relay->work(relay->arg, stage);
    if (well && stage >= behind)
        well = deliver(crew, relay, stage - behind);
    if (behind > 0)
        relay->pieces(relay->arg, stage, true, piece);
    for (size_t k = 0; well && behind > 0 && k < GBS_RELAY_BATONS; k++)
        well = give(crew, r->rank + 1, piece[k]);
    return well;
}

gbs_status gbs_crew_relay(gbs_context *ctx, const gbs_relay *relay) {
    gbs_crew *crew = ctx->crew;
    size_t stages = relay->stages, behind = crew->ranks.size - 1 - crew->ranks.rank;
    gbs_status status = GBS_OK;
    bool well = gbs_crew_meet(crew, (int64_t)relay->bytes, &status, ctx->error);
    for (size_t t = 0; well && t < stages; t++)
        well = run_stage(crew, relay, t);
    for (size_t t = stages > behind ? stages - behind : 0; well && t < stages; t++)
        well = deliver(crew, relay, t);
    if (!well && !crew->lost)
        gbs_crew_give_up(crew, GBS_CREW_SILENT);
    return well ? GBS_OK : gbs_fail(ctx, GBS_ERR_IO, "%s", crew->words);
}
