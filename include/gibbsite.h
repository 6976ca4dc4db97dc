/* Gibbsite: variational approximations of Gibbs posteriors.
 *
 * The public header, one page a topic beneath it. A program makes a context, wraps its rows in a
 * data handle, fits a model, and asks the model for predictions:
 *
 *     gbs_context *ctx; gbs_data *data; gbs_options *options; gbs_model *model;
 *     gbs_context_create(NULL, &ctx);
 *     gbs_data_dense(ctx, n, d, x, d, y, GBS_COPY, &data);
 *     gbs_options_create(ctx, "fit", &options);
 *     gbs_options_set(options, "loss", "hinge");
 *     if (gbs_fit(ctx, data, options, &model) != GBS_OK) puts(gbs_error_message(ctx));
 *
 * Conventions
 *  - Every call that can fail returns a gbs_status. On failure the output handle is NULL, nothing
 * leaks, and gbs_error_message(ctx) says what happened.
 *  - Arguments are checked: a NULL where something is needed, a value that an enumeration does not
 *    have and a number out of range are answered with GBS_ERR_ARGUMENT and a message that names the
 *    argument. Functions without a status answer with 0, NULL, NaN or zeros. `options` may always
 *    be NULL: the defaults. So may a `count`, by those who do not want to know it.
 *  - What the library cannot see is the caller's duty: a pointer to memory that is gone, an array
 *    shorter than told, a handle freed twice, a handle that one thread changes or frees while
 *    another uses it.
 *  - A fit that stops early is not an error of the call: the model is there, and
 *    gbs_model_get_info(model)->converged is 0.
 *  - The library never prints, exits, touches signals or calls rand(). It keeps no state outside
 * the handles, but for one thing: while a call computes, OpenBLAS (if that is the BLAS) is held at
 * one thread, and put back when the last such call ends; the library runs its own threads over
 * fixed strips of rows.
 *  - A context serves one thread at a time; different contexts may work at once, on the same
 *    handles too. Results do not depend on the thread count.
 *  - Handles and texts keep the memory of their context: they and the context may be freed in any
 *    order, on any thread, even while the context is at work. A freed context takes no more calls,
 *    and calls none of its callbacks.
 *  - Threads live no longer than the call that started them. A process may fork between calls,
 *    and the child go on with the parent's handles. Where the system starts fewer threads than
 *    asked for, or has no address space for their buffers in OpenBLAS, a call computes with those
 *    that it has, and says so in the log; with no room for the first buffer (128 MB) it fails
 *    with GBS_ERR_MEMORY.
 *  - Signals stay the caller's: writing beyond a limit on the size of files (ulimit -f) raises
 *    SIGXFSZ, writing to a pipe without a reader SIGPIPE. Both end a process that does not ignore
 *    them; one that does gets GBS_ERR_IO, and no temporary file is left behind.
 */
#ifndef GIBBSITE_H
#define GIBBSITE_H

/* In the order that a program meets them. */
/* clang-format off */
#include "gibbsite/base.h"
#include "gibbsite/context.h"
#include "gibbsite/ranks.h"
#include "gibbsite/options.h"
#include "gibbsite/data.h"
#include "gibbsite/task.h"
#include "gibbsite/fit.h"
#include "gibbsite/model.h"
#include "gibbsite/complete.h"
#include "gibbsite/sample.h"
#include "gibbsite/table.h"
#include "gibbsite/classes.h"
#include "gibbsite/explain.h"
#include "gibbsite/report.h"
#include "gibbsite/bound.h"
#include "gibbsite/theory.h"
/* clang-format on */

#endif
