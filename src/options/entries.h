/* A line of the option table as the library sees it: the public line, its range, and the members of
 * the settings that it fills. */
#ifndef GIBBSITE_OPTIONS_ENTRIES_H
#define GIBBSITE_OPTIONS_ENTRIES_H

#include "options/settings.h"

#include <stdbool.h>

/* The structs of settings.h. */
enum gbs_settings_kind {
    GBS_SETTINGS_FIT,
    GBS_SETTINGS_SAMPLE,
    GBS_SETTINGS_COMPLETE,
    GBS_SETTINGS_THEORY,
    GBS_SETTINGS_TABLE,
    GBS_SETTINGS_KINDS
};

/* How a value is kept in a member. */
enum gbs_store {
    GBS_STORE_NONE = 0,
    GBS_STORE_INT,     /* a flag, or the position of a choice */
    GBS_STORE_SIZED,   /* the position of a choice, and one size_t further its number */
    GBS_STORE_NOT,     /* a flag that switches the member off */
    GBS_STORE_SIZE,    /* size_t */
    GBS_STORE_UINT64,  /* uint64_t */
    GBS_STORE_DOUBLE,  /* double */
    GBS_STORE_NUMBERS, /* const double *, and right behind it their number as size_t */
    GBS_STORE_RANGE,   /* int: there is one; then its two ends as double */
    GBS_STORE_TEXT     /* const char * */
};

typedef struct gbs_option_entry {
    gbs_option line;
    enum gbs_store store;
    size_t at[GBS_SETTINGS_KINDS]; /* offset of the member + 1; 0: no member */
    size_t bits;                   /* offset + 1 of the bits of several choices, in a fit */
    int last; /* what the last choice is kept as; 0: as its position, like the others */
} gbs_option_entry;

extern const gbs_option_entry gbs_option_entries[];
extern const size_t gbs_option_entries_size;

/* The number that a choice is kept as, of its position. */
int gbs_option_kept(const gbs_option_entry *e, int choice);

/* The bit of a command's name; 0: there is no such command. */
unsigned gbs_command_bit(const char *command);

#endif
