/* Output files, written whole or not at all, one alone or several together.
 *
 * A name is followed to the thing itself (file/place.h); the bytes go to a draft in the same folder
 * (file/draft.h) and onto the disk. When that is so of all files, each gets its name: what fails
 * before leaves none of them. Pipes and devices cannot be renamed over: they are written straight.
 * Of several ranks the first writes, once all of them have come so far.
 */
#include "core/check.h"
#include "core/ranks.h"
#include "file/draft.h"
#include "model/model.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define PIECE ((size_t)1 << 24) /* bytes between two looks at the cancel callback */

/* Of several ranks the first writes. */
static bool writes(const gbs_context *ctx) {
    return ctx->crew == NULL || ctx->crew->ranks.rank == 0;
}

gbs_status gbs_output_file(gbs_context *ctx, const char *path, char **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, path);
    gbs_place p;
    int error = gbs_place_find(path, &p);
    if (error == 0 && writes(ctx))
        error = gbs_place_refuses(&p);
    if (error != 0)
        return gbs_place_fail(ctx, path, &p, error);
    *out = gbs_handle_alloc(ctx, strlen(p.name) + 1); /* until gbs_release */
    if (*out == NULL)
        return GBS_ERR_MEMORY;
    memcpy(*out, p.name, strlen(p.name));
    return GBS_OK;
}

/* ---------------------------------------------------------------- bytes */

/* 0, an errno, or GBS_PLACE_STOPPED. */
static int write_all(gbs_context *ctx, int fd, const char *bytes, size_t size) {
    while (size > 0) {
        ssize_t written = write(fd, bytes, size < PIECE ? size : PIECE);
        if (written == 0 || (written < 0 && errno != EINTR))
            return written < 0 ? errno : EIO;
        bytes += written > 0 ? written : 0;
        size -= written > 0 ? (size_t)written : 0;
        if (size > 0 && gbs_check_cancel(ctx) != GBS_OK)
            return GBS_PLACE_STOPPED;
    }
    return 0;
}

/* What is written, piece by piece. */
struct pieces {
    gbs_piece_callback next;
    void *user;
    gbs_status status; /* of the callback, where that failed */
};

static int write_pieces(gbs_context *ctx, int fd, struct pieces *from) {
    for (;;) {
        const char *bytes = NULL;
        size_t size = 0;
        from->status = from->next(&bytes, &size, from->user);
        if (from->status != GBS_OK)
            return GBS_PLACE_CALLER;
        if (size == 0)
            return 0;
        int error = write_all(ctx, fd, bytes, size);
        if (error != 0)
            return error;
    }
}

/* A pipe may keep us waiting for its reader, to open it and to write. */
static int write_special(gbs_context *ctx, const gbs_place *p, struct pieces *from) {
    const int flags = O_WRONLY | O_CLOEXEC | O_NOCTTY | (p->magic ? 0 : O_NOFOLLOW);
    int fd, error;
    while ((fd = open(p->name, flags)) < 0) {
        if (errno != EINTR)
            return errno;
        if (gbs_check_cancel(ctx) != GBS_OK)
            return GBS_PLACE_STOPPED;
    }
    error = write_pieces(ctx, fd, from);
    if (close(fd) != 0 && error == 0)
        error = errno;
    return error;
}

/* ---------------------------------------------------------------- several together */

struct draft_of {
    gbs_draft draft;
    char *path; /* as the caller gave it */
    struct draft_of *next;
};

struct gbs_outputs {
    gbs_context *ctx;
    struct draft_of *first, **last;
};

gbs_status gbs_outputs_create(gbs_context *ctx, gbs_outputs **out) {
    GBS_NEEDS(ctx, out);
    *out = NULL;
    GBS_NEEDS(ctx, ctx);
    gbs_outputs *outputs = gbs_handle_alloc(ctx, sizeof *outputs);
    if (outputs == NULL)
        return GBS_ERR_MEMORY;
    outputs->ctx = ctx;
    outputs->last = &outputs->first;
    *out = outputs;
    return GBS_OK;
}

static struct draft_of *draft_new(gbs_context *ctx, const char *path) {
    size_t room = strlen(path) + 1;
    struct draft_of *of = gbs_array_alloc(ctx, 1, sizeof *of + room);
    if (of == NULL)
        return NULL;
    of->draft.fd = of->draft.folder = -1;
    of->path = memcpy(of + 1, path, room);
    return of;
}

static void draft_free(gbs_context *ctx, struct draft_of *of) {
    gbs_draft_free(&of->draft);
    gbs_array_free(ctx, of);
}

/* 0, an errno, or a number of place.h. *kept: it waits for its name, and belongs to the list. */
static int write_draft(gbs_context *ctx, struct draft_of *of, struct pieces *from, bool *kept) {
    gbs_draft *d = &of->draft;
    int error = gbs_place_find(of->path, &d->place);
    if (error == 0)
        error = gbs_place_refuses(&d->place);
    if (error != 0)
        return error;
    int own = gbs_place_descriptor(&d->place);
    if (own >= 0)
        return write_pieces(ctx, own, from);
    if (d->place.exists && !S_ISREG(d->place.st.st_mode))
        return write_special(ctx, &d->place, from);
    error = gbs_draft_open(d);
    if (error == 0)
        error = write_pieces(ctx, d->fd, from);
    if (error == 0)
        error = gbs_draft_sync(d);
    *kept = error == 0;
    return error;
}

gbs_status gbs_outputs_write(gbs_context *ctx, gbs_outputs *outputs, const char *path,
                             gbs_piece_callback next, void *user) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, outputs);
    GBS_NEEDS(ctx, path);
    GBS_NEEDS(ctx, next);
    struct pieces from = {.next = next, .user = user};
    gbs_status status = gbs_ranks_agree(ctx, GBS_OK, NULL); /* nothing where one was lost */
    if (status != GBS_OK || !writes(ctx))
        return status;
    struct draft_of *of = draft_new(ctx, path);
    if (of == NULL)
        return GBS_ERR_MEMORY;
    bool kept = false;
    int error = write_draft(ctx, of, &from, &kept);
    if (error != 0)
        status = error == GBS_PLACE_CALLER ? from.status
                                           : gbs_place_fail(ctx, path, &of->draft.place, error);
    if (kept) {
        *outputs->last = of;
        outputs->last = &of->next;
    } else {
        draft_free(ctx, of);
    }
    return status;
}

/* What can fail for want of room comes first, of all files; renaming asks for none. */
gbs_status gbs_outputs_keep(gbs_context *ctx, gbs_outputs *outputs) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, outputs);
    for (int step = 0; step < 2; step++)
        for (struct draft_of *of = outputs->first; of != NULL; of = of->next) {
            int error = step == 0 ? gbs_draft_name(&of->draft) : gbs_draft_place(&of->draft);
            if (error != 0)
                return gbs_place_fail(ctx, of->path, &of->draft.place, error);
        }
    return GBS_OK;
}

void gbs_outputs_free(gbs_outputs *outputs) {
    if (outputs == NULL)
        return;
    for (struct draft_of *of = outputs->first, *next; of != NULL; of = next) {
        next = of->next;
        draft_free(outputs->ctx, of);
    }
    gbs_handle_free(outputs->ctx, outputs);
}

/* ---------------------------------------------------------------- one alone */

gbs_status gbs_write_pieces(gbs_context *ctx, const char *path, gbs_piece_callback next,
                            void *user) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, path);
    GBS_NEEDS(ctx, next);
    gbs_outputs *alone;
    gbs_status status = gbs_outputs_create(ctx, &alone);
    if (status == GBS_OK)
        status = gbs_outputs_write(ctx, alone, path, next, user);
    if (status == GBS_OK)
        status = gbs_outputs_keep(ctx, alone);
    gbs_outputs_free(alone);
    return status;
}

/* One piece, which is all. */
struct whole {
    const void *bytes;
    size_t size;
};

static gbs_status next_whole(const char **bytes, size_t *size, void *user) {
    struct whole *w = user;
    *bytes = w->bytes;
    *size = w->size;
    w->size = 0;
    return GBS_OK;
}

gbs_status gbs_write_file(gbs_context *ctx, const char *path, const void *bytes, size_t size) {
    GBS_NEEDS(ctx, ctx);
    GBS_NEEDS(ctx, path);
    GBS_NEEDS_ARRAY(ctx, bytes, size);
    struct whole all = {bytes, size};
    return gbs_write_pieces(ctx, path, next_whole, &all);
}
