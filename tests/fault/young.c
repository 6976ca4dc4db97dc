/* A processor that OpenBLAS does not know: LD_PRELOAD this object.
 *
 * OpenBLAS is loaded before; here it starts again as it would there, for Prescott, and nothing in
 * the environment tells of it.
 */
#include <stdlib.h>

extern void gotoblas_dynamic_init(void) __attribute__((weak));
extern void gotoblas_dynamic_quit(void) __attribute__((weak));

__attribute__((constructor)) static void take_for_prescott(void) {
    if (gotoblas_dynamic_init == NULL || gotoblas_dynamic_quit == NULL ||
        getenv("OPENBLAS_CORETYPE") != NULL)
        return;
    setenv("OPENBLAS_CORETYPE", "Prescott", 1);
    gotoblas_dynamic_quit();
    gotoblas_dynamic_init();
    unsetenv("OPENBLAS_CORETYPE");
}
