/* The device of one call (`device` among its options), in the place of the context's own.
 */
#ifndef GIBBSITE_PASS_DEVICE_H
#define GIBBSITE_PASS_DEVICE_H

#include "core/context.h"

/* The context's passes run on the device of this name (NULL: its own) until gbs_device_end, which
 * is told what was there before. On failure all is as it was, and there is nothing to end. */
gbs_status gbs_device_begin(gbs_context *ctx, const char *device, gbs_device **before);
void gbs_device_end(gbs_context *ctx, gbs_device *before);

#endif
