/* The temporary file has no name: nothing is left behind, however the program ends. It lies where
 * TMPDIR says, else in /var/tmp, which unlike /tmp is seldom memory. */
#include "out/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { LONG = 1 << 23, PIECE = 1 << 20 };

static const char *folder(void) {
    const char *wish = getenv("TMPDIR");
    return wish != NULL && wish[0] != '\0' ? wish : "/var/tmp";
}

static int open_nameless(void) {
    char name[4096];
    int fd = open(folder(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
    if (fd >= 0)
        return fd;
    int size = snprintf(name, sizeof name, "%s/gibbsite-XXXXXX", folder());
    if (size < 0 || size >= (int)sizeof name) {
        errno = ENAMETOOLONG;
        return -1;
    }
    fd = mkostemp(name, O_CLOEXEC); /* file systems without O_TMPFILE */
    if (fd >= 0)
        unlink(name);
    return fd;
}

static int failed(const struct app *app, int error) {
    return app_fail(app, EXIT_FILES, "a temporary file in %.200s: %s (TMPDIR names another folder)",
                    folder(), strerror(error));
}

int spool_tidy(const struct app *app, struct spool *s) {
    if (s->text.failed)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    if (s->text.size < LONG)
        return EXIT_DONE;
    if (s->fd == 0 && (s->fd = open_nameless()) < 0) {
        s->fd = 0;
        return failed(app, errno);
    }
    for (size_t at = 0; at < s->text.size;) {
        ssize_t done = write(s->fd, s->text.bytes + at, s->text.size - at);
        if (done < 0 && errno != EINTR)
            return failed(app, errno);
        at += done > 0 ? (size_t)done : 0;
    }
    s->text.size = 0;
    return EXIT_DONE;
}

/* ---------------------------------------------------------------- where it goes */

struct reader {
    const struct app *app;
    const struct text *head;
    const struct spool *s;
    char *piece;
    int stage; /* head, file, text */
};

static gbs_status next(const char **bytes, size_t *size, void *user) {
    struct reader *r = user;
    *size = 0;
    while (*size == 0 && r->stage < 3) {
        ssize_t got = 0;
        if (r->stage == 0) {
            *bytes = r->head->bytes;
            *size = r->head->size;
        } else if (r->stage == 1 && r->s->fd > 0) {
            *bytes = r->piece;
            while ((got = read(r->s->fd, r->piece, PIECE)) < 0 && errno == EINTR) {
            }
            if (got < 0) {
                failed(r->app, errno);
                return GBS_ERR_IO;
            }
            *size = (size_t)got;
        } else if (r->stage == 2) {
            *bytes = r->s->text.bytes;
            *size = r->s->text.size;
        }
        r->stage += r->stage != 1 || got == 0;
    }
    return GBS_OK;
}

int spool_write(const struct app *app, const char *path, const struct text *head, struct spool *s) {
    struct reader r = {.app = app, .head = head, .s = s};
    if (head->failed || s->text.failed || (r.piece = malloc(PIECE)) == NULL)
        return app_fail(app, EXIT_MEMORY, "out of memory");
    int code = s->fd > 0 && lseek(s->fd, 0, SEEK_SET) < 0 ? failed(app, errno) : EXIT_DONE;
    if (code == EXIT_DONE)
        code = app_write_pieces(app, path, next, &r);
    free(r.piece);
    return code;
}

void spool_free(struct spool *s) {
    if (s->fd > 0)
        close(s->fd);
    text_free(&s->text);
    *s = (struct spool){0};
}
