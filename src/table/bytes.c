/* Byte source: read(2) or memory, straight into the window, or through zlib when the input opens
 * with the gzip magic.
 *
 * Plain files do not pass through zlib: gzread would copy every byte once more. The name plays no
 * part in the choice, because standard input has none and a wrong ending is common.
 */
#include "table/bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#define RAW_BUFFER ((size_t)1 << 18)

/* Where the bytes come from; apart from the window so that readers need not see zlib. */
struct gbs_bytes_origin {
    int fd; /* -1: memory */
    const char *memory;
    size_t memory_left;

    unsigned char head[2]; /* the first bytes, read to look for the magic and not yet delivered */
    size_t head_size;
    bool raw_ended;

    bool gzip, between_members;
    z_stream inflater;
    unsigned char *raw;
    size_t raw_capacity;
};

static gbs_status fail(gbs_bytes *b, gbs_status status, const char *text) {
    snprintf(b->message, sizeof b->message, "%s", text);
    return status;
}

static gbs_status read_descriptor(gbs_bytes *b, void *to, size_t size, size_t *got) {
    for (;;) {
        ssize_t n = read(b->origin->fd, to, size);
        if (n >= 0) {
            *got = (size_t)n;
            return GBS_OK;
        }
        if (errno != EINTR)
            return fail(b, GBS_ERR_IO, strerror(errno));
        /* A signal during a wait on a pipe is how Ctrl-C arrives. */
        if (gbs_check_cancel(b->ctx) != GBS_OK)
            return fail(b, GBS_ERR_CANCELLED, "interrupted");
    }
}

/* Up to size bytes as they lie in the file; *got == 0 only at its end. */
static gbs_status read_raw(gbs_bytes *b, void *to, size_t size, size_t *got) {
    struct gbs_bytes_origin *o = b->origin;
    *got = 0;
    if (o->head_size > 0) {
        *got = o->head_size < size ? o->head_size : size;
        memcpy(to, o->head, *got);
        o->head_size -= *got;
        memmove(o->head, o->head + *got, o->head_size);
        return GBS_OK;
    }
    if (o->raw_ended)
        return GBS_OK;
    gbs_status status = GBS_OK;
    if (o->fd < 0) {
        *got = o->memory_left < size ? o->memory_left : size;
        if (*got > 0)
            memcpy(to, o->memory, *got);
        o->memory += *got;
        o->memory_left -= *got;
    } else {
        status = read_descriptor(b, to, size, got);
    }
    o->raw_ended = *got == 0;
    return status;
}

/* A gzip file may hold several members one after the other, and tape tools pad it with zeros. */
static gbs_status start_next_member(gbs_bytes *b, bool *ended) {
    struct gbs_bytes_origin *o = b->origin;
    z_stream *z = &o->inflater;
    while (z->avail_in > 0 && *z->next_in == 0) {
        z->next_in++;
        z->avail_in--;
    }
    if (z->avail_in == 0) {
        *ended = o->raw_ended;
        return GBS_OK;
    }
    if (*z->next_in != 0x1f)
        return fail(b, GBS_ERR_DATA, "junk after the end of the gzip data");
    o->between_members = false;
    return inflateReset(z) == Z_OK ? GBS_OK : fail(b, GBS_ERR_DATA, "corrupt gzip data");
}

static gbs_status inflate_step(gbs_bytes *b, bool *ended) {
    struct gbs_bytes_origin *o = b->origin;
    z_stream *z = &o->inflater;
    if (z->avail_in == 0) {
        size_t got;
        gbs_status status = read_raw(b, o->raw, o->raw_capacity, &got);
        if (status != GBS_OK)
            return status;
        z->next_in = o->raw;
        z->avail_in = (uInt)got;
        if (got == 0 && !o->between_members)
            return fail(b, GBS_ERR_DATA, "the gzip data ends early (a truncated file)");
    }
    if (o->between_members)
        return start_next_member(b, ended);
    int code = inflate(z, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
        o->between_members = true;
    } else if (code == Z_MEM_ERROR) {
        return fail(b, GBS_ERR_MEMORY, "out of memory");
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
        snprintf(b->message, sizeof b->message, "corrupt gzip data (%s)",
                 z->msg ? z->msg : "bad stream");
        return GBS_ERR_DATA;
    }
    return GBS_OK;
}

static gbs_status read_inflated(gbs_bytes *b, char *to, size_t size, size_t *got) {
    z_stream *z = &b->origin->inflater;
    size_t room = size < RAW_BUFFER ? size : RAW_BUFFER;
    bool ended = false;
    z->next_out = (unsigned char *)to;
    z->avail_out = (uInt)room;
    while (!ended && z->avail_out == room) {
        gbs_status status = inflate_step(b, &ended);
        if (status != GBS_OK)
            return status;
    }
    *got = room - z->avail_out;
    return GBS_OK;
}

static gbs_status make_room(gbs_bytes *b) {
    size_t kept = (size_t)(b->end - b->at);
    if (kept > b->capacity / 2) {
        if (b->capacity > SIZE_MAX / 4)
            return fail(b, GBS_ERR_MEMORY, "out of memory");
        char *larger = gbs_array_alloc(b->ctx, 2 * b->capacity + 1, 1);
        if (!larger)
            return fail(b, GBS_ERR_MEMORY, "out of memory");
        b->before += (uint64_t)(b->at - b->buffer);
        memcpy(larger, b->at, kept);
        gbs_array_free(b->ctx, b->buffer);
        b->buffer = larger;
        b->capacity *= 2;
    } else {
        b->before += (uint64_t)(b->at - b->buffer);
        memmove(b->buffer, b->at, kept);
    }
    b->at = b->buffer;
    b->end = b->buffer + kept;
    *b->end = '\0';
    return GBS_OK;
}

gbs_status gbs_bytes_more(gbs_bytes *b) {
    struct gbs_bytes_origin *o = b->origin;
    if (gbs_check_cancel(b->ctx) != GBS_OK)
        return fail(b, GBS_ERR_CANCELLED, "interrupted");
    gbs_status status = make_room(b);
    while (status == GBS_OK && !b->last && b->end < b->buffer + b->capacity) {
        size_t got = 0, room = (size_t)(b->buffer + b->capacity - b->end);
        status = o->gzip ? read_inflated(b, b->end, room, &got) : read_raw(b, b->end, room, &got);
        if (status == GBS_OK) {
            b->end += got;
            b->last = got == 0;
        }
        *b->end = '\0';
    }
    return status;
}

uint64_t gbs_bytes_offset(const gbs_bytes *b) {
    return b->before + (uint64_t)(b->at - b->buffer);
}

gbs_status gbs_bytes_seek(gbs_bytes *b, uint64_t offset) {
    if (lseek(b->origin->fd, (off_t)offset, SEEK_SET) < 0)
        return fail(b, GBS_ERR_IO, strerror(errno));
    b->origin->head_size = 0;
    b->origin->raw_ended = b->last = false;
    b->before = offset;
    b->at = b->end = b->buffer;
    *b->end = '\0';
    return GBS_OK;
}

bool gbs_bytes_is_gzip(const gbs_bytes *b) {
    return b->origin != NULL && b->origin->gzip;
}

static void *inflater_alloc(void *ctx, uInt items, uInt size) {
    return gbs_array_alloc(ctx, items, size);
}

static void inflater_free(void *ctx, void *memory) {
    gbs_array_free(ctx, memory);
}

static gbs_status start_gzip(gbs_bytes *b) {
    struct gbs_bytes_origin *o = b->origin;
    o->raw_capacity = b->capacity < RAW_BUFFER ? b->capacity : RAW_BUFFER;
    o->raw = gbs_array_alloc(b->ctx, o->raw_capacity, 1);
    o->inflater.zalloc = inflater_alloc;
    o->inflater.zfree = inflater_free;
    o->inflater.opaque = b->ctx;
    /* 15 + 16: the largest window, gzip wrapper only. */
    if (!o->raw || inflateInit2(&o->inflater, 15 + 16) != Z_OK)
        return fail(b, GBS_ERR_MEMORY, "out of memory");
    o->gzip = true;
    return GBS_OK;
}

static gbs_status look_for_magic(gbs_bytes *b) {
    unsigned char head[2];
    size_t size = 0, got = 1;
    while (size < sizeof head && got > 0) {
        gbs_status status = read_raw(b, head + size, sizeof head - size, &got);
        if (status != GBS_OK)
            return status;
        size += got;
    }
    memcpy(b->origin->head, head, size);
    b->origin->head_size = size;
    return size == 2 && head[0] == 0x1f && head[1] == 0x8b ? start_gzip(b) : GBS_OK;
}

static gbs_status prepare(gbs_context *ctx, size_t buffer_size, gbs_bytes *b) {
    *b = (gbs_bytes){.ctx = ctx, .capacity = buffer_size ? buffer_size : GBS_BYTES_BUFFER};
    b->origin = gbs_array_alloc(ctx, 1, sizeof *b->origin);
    if (!b->origin)
        return fail(b, GBS_ERR_MEMORY, "out of memory");
    b->origin->fd = -1;
    return GBS_OK;
}

/* The window of a short input is no longer than that: `size` bytes, and one more to see its end. */
static gbs_status make_window(gbs_bytes *b, uint64_t size) {
    if (!b->origin->gzip && size < b->capacity)
        b->capacity = (size_t)size + 1;
    b->buffer = gbs_array_alloc(b->ctx, b->capacity + 1, 1);
    if (!b->buffer)
        return fail(b, GBS_ERR_MEMORY, "out of memory");
    b->at = b->end = b->buffer;
    *b->end = '\0';
    return GBS_OK;
}

/* Of a plain file; a pipe does not say, nor do files that the system makes up (size 0). */
static uint64_t size_of(int fd) {
    struct stat st;
    bool told = fstat(fd, &st) == 0 && S_ISREG(st.st_mode) && st.st_size > 0;
    return told ? (uint64_t)st.st_size : UINT64_MAX;
}

gbs_status gbs_bytes_open(gbs_context *ctx, const char *name, size_t buffer_size, gbs_bytes *b) {
    gbs_status status = prepare(ctx, buffer_size, b);
    if (status != GBS_OK)
        return status;
    b->origin->fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    if (b->origin->fd < 0 && errno == EINTR && gbs_check_cancel(ctx) != GBS_OK)
        status = fail(b, GBS_ERR_CANCELLED, "interrupted"); /* while waiting for a pipe's writer */
    else
        status = b->origin->fd < 0 ? fail(b, GBS_ERR_IO, strerror(errno)) : look_for_magic(b);
    if (status == GBS_OK)
        status = make_window(b, size_of(b->origin->fd));
    if (status != GBS_OK)
        gbs_bytes_close(b);
    return status;
}

gbs_status gbs_bytes_open_memory(gbs_context *ctx, const void *data, size_t size,
                                 size_t buffer_size, gbs_bytes *b) {
    gbs_status status = prepare(ctx, buffer_size, b);
    if (status != GBS_OK)
        return status;
    b->origin->memory = data;
    b->origin->memory_left = size;
    status = look_for_magic(b);
    if (status == GBS_OK)
        status = make_window(b, size);
    if (status != GBS_OK)
        gbs_bytes_close(b);
    return status;
}

void gbs_bytes_close(gbs_bytes *b) {
    if (b->origin) {
        if (b->origin->gzip)
            inflateEnd(&b->origin->inflater);
        if (b->origin->fd > STDIN_FILENO)
            close(b->origin->fd);
        gbs_array_free(b->ctx, b->origin->raw);
    }
    gbs_array_free(b->ctx, b->origin);
    gbs_array_free(b->ctx, b->buffer);
    b->origin = NULL;
    b->buffer = b->at = b->end = NULL;
}
