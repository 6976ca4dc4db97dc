/* A file that one rank makes and others open (joint.c, joint_meet.c). */
#ifndef GIBBSITE_CORE_JOINT_FILE_H
#define GIBBSITE_CORE_JOINT_FILE_H

#include "core/joint.h"

/* What its maker tells: the name of a file, within the folder that each calls by its own name; of
 * memory, where its maker has it open, and what it must be found to be there. */
typedef struct gbs_notice {
    int64_t error; /* an errno: there is no file */
    char name[64], mark[64];
} gbs_notice;

/* An empty file, and what is to be told of it; -1: none. */
int gbs_joint_make(const gbs_spill *spill, gbs_notice *out);
/* The maker's, to be read and written; -1 and errno. */
int gbs_joint_open(const gbs_spill *spill, const gbs_notice *notice);
/* Its maker takes its name away. Memory has none. */
void gbs_joint_unname(const gbs_spill *spill, const gbs_notice *notice);

#endif
