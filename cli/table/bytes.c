/* Byte source: read(2) or memory, straight into the window, or through zlib when the input opens
 * with the gzip magic.
 *
 * Plain files do not pass through zlib: gzread would copy every byte once more. The name plays no
 * part in the choice, because standard input has none and a wrong ending is common.
 */
#include "bytes.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#define RAW_BUFFER ((size_t)1 << 18)

/* Where the bytes come from; apart from the window so that readers need not see zlib. */
struct bytes_origin {
    int fd; /* -1: memory */
    const char *memory;
    size_t memory_left;
    int (*cancelled)(void *user);
    void *user;

    unsigned char head[2]; /* the first bytes, read to look for the magic and not yet delivered */
    size_t head_size;
    bool raw_ended;

    bool gzip, between_members;
    z_stream inflater;
    unsigned char *raw;
    size_t raw_capacity;
};

static enum table_status fail(struct bytes *b, enum table_status status, const char *text) {
    snprintf(b->message, sizeof b->message, "%s", text);
    return status;
}

static enum table_status read_descriptor(struct bytes *b, void *to, size_t size, size_t *got) {
    for (;;) {
        ssize_t n = read(b->origin->fd, to, size);
        if (n >= 0) {
            *got = (size_t)n;
            return TABLE_OK;
        }
        if (errno != EINTR)
            return fail(b, TABLE_IO, strerror(errno));
        /* A signal during a wait on a pipe is how Ctrl-C arrives. */
        if (b->origin->cancelled && b->origin->cancelled(b->origin->user))
            return fail(b, TABLE_CANCELLED, "interrupted");
    }
}

/* Up to size bytes as they lie in the file; *got == 0 only at its end. */
static enum table_status read_raw(struct bytes *b, void *to, size_t size, size_t *got) {
    struct bytes_origin *o = b->origin;
    *got = 0;
    if (o->head_size > 0) {
        *got = o->head_size < size ? o->head_size : size;
        memcpy(to, o->head, *got);
        o->head_size -= *got;
        memmove(o->head, o->head + *got, o->head_size);
        return TABLE_OK;
    }
    if (o->raw_ended)
        return TABLE_OK;
    enum table_status status = TABLE_OK;
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
static enum table_status start_next_member(struct bytes *b, bool *ended) {
    struct bytes_origin *o = b->origin;
    z_stream *z = &o->inflater;
    while (z->avail_in > 0 && *z->next_in == 0) {
        z->next_in++;
        z->avail_in--;
    }
    if (z->avail_in == 0) {
        *ended = o->raw_ended;
        return TABLE_OK;
    }
    if (*z->next_in != 0x1f)
        return fail(b, TABLE_BAD_DATA, "junk after the end of the gzip data");
    o->between_members = false;
    return inflateReset(z) == Z_OK ? TABLE_OK : fail(b, TABLE_BAD_DATA, "corrupt gzip data");
}

static enum table_status inflate_step(struct bytes *b, bool *ended) {
    struct bytes_origin *o = b->origin;
    z_stream *z = &o->inflater;
    if (z->avail_in == 0) {
        size_t got;
        enum table_status status = read_raw(b, o->raw, o->raw_capacity, &got);
        if (status != TABLE_OK)
            return status;
        z->next_in = o->raw;
        z->avail_in = (uInt)got;
        if (got == 0 && !o->between_members)
            return fail(b, TABLE_BAD_DATA, "the gzip data ends early (a truncated file)");
    }
    if (o->between_members)
        return start_next_member(b, ended);
    int code = inflate(z, Z_NO_FLUSH);
    if (code == Z_STREAM_END) {
        o->between_members = true;
    } else if (code == Z_MEM_ERROR) {
        return fail(b, TABLE_NO_MEMORY, "out of memory");
    } else if (code != Z_OK && code != Z_BUF_ERROR) {
        snprintf(b->message, sizeof b->message, "corrupt gzip data (%s)",
                 z->msg ? z->msg : "bad stream");
        return TABLE_BAD_DATA;
    }
    return TABLE_OK;
}

static enum table_status read_inflated(struct bytes *b, char *to, size_t size, size_t *got) {
    z_stream *z = &b->origin->inflater;
    size_t room = size < RAW_BUFFER ? size : RAW_BUFFER;
    bool ended = false;
    z->next_out = (unsigned char *)to;
    z->avail_out = (uInt)room;
    while (!ended && z->avail_out == room) {
        enum table_status status = inflate_step(b, &ended);
        if (status != TABLE_OK)
            return status;
    }
    *got = room - z->avail_out;
    return TABLE_OK;
}

static enum table_status make_room(struct bytes *b) {
    size_t kept = (size_t)(b->end - b->at);
    if (kept > b->capacity / 2) {
        if (b->capacity > SIZE_MAX / 4)
            return fail(b, TABLE_NO_MEMORY, "out of memory");
        char *larger = malloc(2 * b->capacity + 1);
        if (!larger)
            return fail(b, TABLE_NO_MEMORY, "out of memory");
        b->before += (uint64_t)(b->at - b->buffer);
        memcpy(larger, b->at, kept);
        free(b->buffer);
        b->buffer = larger;
        b->capacity *= 2;
    } else {
        b->before += (uint64_t)(b->at - b->buffer);
        memmove(b->buffer, b->at, kept);
    }
    b->at = b->buffer;
    b->end = b->buffer + kept;
    *b->end = '\0';
    return TABLE_OK;
}

enum table_status bytes_more(struct bytes *b) {
    struct bytes_origin *o = b->origin;
    if (o->cancelled && o->cancelled(o->user))
        return fail(b, TABLE_CANCELLED, "interrupted");
    enum table_status status = make_room(b);
    while (status == TABLE_OK && !b->last && b->end < b->buffer + b->capacity) {
        size_t got = 0, room = (size_t)(b->buffer + b->capacity - b->end);
        status = o->gzip ? read_inflated(b, b->end, room, &got) : read_raw(b, b->end, room, &got);
        if (status == TABLE_OK) {
            b->end += got;
            b->last = got == 0;
        }
        *b->end = '\0';
    }
    return status;
}

uint64_t bytes_offset(const struct bytes *b) {
    return b->before + (uint64_t)(b->at - b->buffer);
}

static enum table_status start_gzip(struct bytes *b) {
    struct bytes_origin *o = b->origin;
    o->raw_capacity = b->capacity < RAW_BUFFER ? b->capacity : RAW_BUFFER;
    o->raw = malloc(o->raw_capacity);
    /* 15 + 16: the largest window, gzip wrapper only. */
    if (!o->raw || inflateInit2(&o->inflater, 15 + 16) != Z_OK)
        return fail(b, TABLE_NO_MEMORY, "out of memory");
    o->gzip = true;
    return TABLE_OK;
}

static enum table_status look_for_magic(struct bytes *b) {
    unsigned char head[2];
    size_t size = 0, got = 1;
    while (size < sizeof head && got > 0) {
        enum table_status status = read_raw(b, head + size, sizeof head - size, &got);
        if (status != TABLE_OK)
            return status;
        size += got;
    }
    memcpy(b->origin->head, head, size);
    b->origin->head_size = size;
    return size == 2 && head[0] == 0x1f && head[1] == 0x8b ? start_gzip(b) : TABLE_OK;
}

static enum table_status prepare(struct bytes *b, size_t buffer_size, int (*cancelled)(void *user),
                                 void *user) {
    *b = (struct bytes){.capacity = buffer_size ? buffer_size : BYTES_BUFFER};
    b->origin = calloc(1, sizeof *b->origin);
    b->buffer = malloc(b->capacity + 1);
    if (!b->origin || !b->buffer) {
        free(b->origin);
        free(b->buffer);
        b->origin = NULL;
        b->buffer = NULL;
        return fail(b, TABLE_NO_MEMORY, "out of memory");
    }
    b->origin->fd = -1;
    b->origin->cancelled = cancelled;
    b->origin->user = user;
    b->at = b->end = b->buffer;
    *b->end = '\0';
    return TABLE_OK;
}

enum table_status bytes_open(struct bytes *b, const char *name, size_t buffer_size,
                             int (*cancelled)(void *user), void *user) {
    enum table_status status = prepare(b, buffer_size, cancelled, user);
    if (status != TABLE_OK)
        return status;
    b->origin->fd = strcmp(name, "-") == 0 ? STDIN_FILENO : open(name, O_RDONLY | O_CLOEXEC);
    status = b->origin->fd < 0 ? fail(b, TABLE_IO, strerror(errno)) : look_for_magic(b);
    if (status != TABLE_OK)
        bytes_close(b);
    return status;
}

enum table_status bytes_open_memory(struct bytes *b, const void *data, size_t size,
                                    size_t buffer_size, int (*cancelled)(void *user), void *user) {
    enum table_status status = prepare(b, buffer_size, cancelled, user);
    if (status != TABLE_OK)
        return status;
    b->origin->memory = data;
    b->origin->memory_left = size;
    status = look_for_magic(b);
    if (status != TABLE_OK)
        bytes_close(b);
    return status;
}

void bytes_close(struct bytes *b) {
    if (b->origin) {
        if (b->origin->gzip)
            inflateEnd(&b->origin->inflater);
        if (b->origin->fd > STDIN_FILENO)
            close(b->origin->fd);
        free(b->origin->raw);
    }
    free(b->origin);
    free(b->buffer);
    b->origin = NULL;
    b->buffer = b->at = b->end = NULL;
}
