/* A small file of texts and numbers, and the same rows in memory. */
#ifndef GIBBSITE_TESTS_PEOPLE_H
#define GIBBSITE_TESTS_PEOPLE_H

#include "unit/host.h"
#include "unit/scratch.h"

#include <unistd.h>

enum { NAME_ROOM = SCRATCH_ROOM };

/* A temporary file of this text; its name goes into `name`. */
static inline void write_file(char name[NAME_ROOM], const char *text) {
    int fd = mkstemp(scratch_name(name));
    assert_true(fd >= 0);
    size_t size = strlen(text);
    assert_int_equal(write(fd, text, size), (ssize_t)size);
    close(fd);
}

enum { ROWS = 240 };

/* Rows of a job, an age and a number of no use; the label follows the first two. */
struct people {
    char csv[ROWS * 48], name[NAME_ROOM];
    double age[ROWS], shoe[ROWS];
    const char *job[ROWS], *label[ROWS];
};

static inline void make_people(struct people *p, uint64_t seed) {
    static const char *const jobs[] = {"clerk", "mason, master", "nurse", "say \"cook\""},
                             *const quoted[] = {"clerk", "\"mason, master\"", "nurse",
                                                "\"say \"\"cook\"\"\""};
    struct dice r = {seed};
    size_t used = (size_t)snprintf(p->csv, sizeof p->csv, "age,job,shoe,happy\n");
    for (size_t i = 0; i < ROWS; i++) {
        size_t job = (size_t)(fabs(dice_normal(&r)) * 2.0) % 4;
        p->age[i] = floor(40.0 + 10.0 * dice_normal(&r));
        p->shoe[i] = 0.25 * floor(160.0 + 10.0 * dice_normal(&r));
        p->job[i] = jobs[job];
        bool happy = p->age[i] - 40.0 + (job == 1 ? 15.0 : 0.0) + 3.0 * dice_normal(&r) > 0.0;
        p->label[i] = happy ? "yes" : "no";
        used += (size_t)snprintf(p->csv + used, sizeof p->csv - used, "%g,%s,%g,%s\n", p->age[i],
                                 quoted[job], p->shoe[i], p->label[i]);
    }
    write_file(p->name, p->csv);
}

static inline void forget_people(const struct people *p) {
    unlink(p->name);
}

#endif
