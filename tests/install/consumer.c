/* The smallest program that uses an installed Gibbsite. */
#include <gibbsite.h>
#include <stdio.h>
#include <string.h>

int main(void) {
    gbs_context *ctx;
    if (gbs_context_create(NULL, &ctx) != GBS_OK)
        return 1;
    printf("gibbsite %s\n", gbs_version());
    gbs_context_free(ctx);
    return strcmp(gbs_version(), GBS_VERSION) != 0;
}
