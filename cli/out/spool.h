/* Output that may be larger than memory: what grows too long waits in a temporary file. */
#ifndef GIBBSITE_CLI_OUT_SPOOL_H
#define GIBBSITE_CLI_OUT_SPOOL_H

#include "app.h"

struct spool {
    struct text text; /* what was added last */
    int fd;           /* what came before; 0: nothing yet */
};

/* Puts the text away where it has grown long. EXIT_DONE, or an exit code already reported. */
int spool_tidy(const struct app *app, struct spool *s);
/* `head`, then all that was added, to path as app_write does. */
int spool_write(const struct app *app, const char *path, const struct text *head, struct spool *s);
void spool_free(struct spool *s);

#endif
