/* What a rank was asked to do, as numbers that ranks compare: its options, and the files that it
 * reads (FNV-1a over words of eight bytes). Of a large file, pieces: its beginning, its end, and
 * some between. */
#include "digest.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Files of up to PIECES of them are read whole. */
enum { PIECE = 1 << 20, PIECES = 64 };

static uint64_t mix(uint64_t hash, const void *bytes, size_t count) {
    const unsigned char *at = bytes;
    uint64_t word;
    for (; count >= sizeof word; at += sizeof word, count -= sizeof word) {
        memcpy(&word, at, sizeof word);
        hash = (hash ^ word) * UINT64_C(1099511628211);
        hash ^= hash >> 29;
    }
    for (; count > 0; at++, count--)
        hash = (hash ^ *at) * UINT64_C(1099511628211);
    return hash;
}

#define SEED UINT64_C(14695981039346656037)

/* 62 bits, and their negative is a number too. */
static int64_t finish(uint64_t hash) {
    return (int64_t)((hash ^ hash >> 32) & ((UINT64_C(1) << 62) - 1));
}

int64_t digest_text(const char *text) {
    return finish(mix(SEED, text, strlen(text) + 1));
}

/* Files may have other names on another machine, and the fewest threads are taken. */
static bool may_differ(const gbs_option *line) {
    return option_is_file(line) || strcmp(line->name, "cache") == 0 ||
           strcmp(line->name, "threads") == 0;
}

int64_t digest_options(const struct command *command, const struct options *o) {
    const gbs_option *line;
    uint64_t hash = mix(SEED, command->name, strlen(command->name) + 1);
    hash = mix(hash, &o->n_inputs, sizeof o->n_inputs);
    for (size_t k = 0; (line = option_at(command->bit, k)) != NULL; k++) {
        const char *text = given(o, line->name) ? option_text(o, line->name) : NULL;
        bool by_file = o->cost_file != NULL && strcmp(line->name, "cost") == 0;
        if (!given(o, line->name) || may_differ(line) || by_file)
            continue;
        hash = mix(hash, line->name, strlen(line->name) + 1);
        if (text != NULL)
            hash = mix(hash, text, strlen(text) + 1);
    }
    return finish(hash);
}

static bool read_piece(int fd, off_t from, unsigned char *piece, uint64_t *hash) {
    ssize_t count = pread(fd, piece, PIECE, from);
    if (count > 0)
        *hash = mix(*hash, piece, (size_t)count);
    return count >= 0;
}

/* False: it is not there, cannot be read, or is no plain file: there is nothing to compare. */
static bool add_file(const char *path, unsigned char *piece, uint64_t *hash) {
    struct stat is;
    int fd = stat(path, &is) == 0 && S_ISREG(is.st_mode) ? open(path, O_RDONLY) : -1;
    if (fd < 0)
        return false;
    off_t pieces = (is.st_size + PIECE - 1) / PIECE, some = pieces < PIECES ? pieces : PIECES;
    bool well = true;
    *hash = mix(*hash, &is.st_size, sizeof is.st_size);
    for (off_t k = 0; well && k < some; k++) {
        off_t from = pieces <= PIECES ? k * PIECE : (is.st_size - PIECE) / (PIECES - 1) * k;
        well = read_piece(fd, from, piece, hash);
    }
    if (well && pieces > PIECES)
        well = read_piece(fd, is.st_size - PIECE, piece, hash);
    close(fd);
    return well;
}

bool digest_files(const struct options *o, int64_t *digest) {
    static unsigned char piece[PIECE];
    const char *file;
    uint64_t hash = SEED;
    bool there = true;
    for (size_t k = 0; there && (file = option_read(o, k, NULL)) != NULL; k++)
        there = add_file(file, piece, &hash);
    *digest = there ? finish(hash) : 0;
    return there;
}
