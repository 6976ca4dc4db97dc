/* Keeps OpenBLAS from starting threads when it is loaded.
 *
 * It would start one for every core, before main, and each maps a buffer of 128 MB. Under a limit
 * on memory it never comes back from that, and under a limit on processes it sends itself SIGINT.
 * The program has threads of its own and wants none of these. OpenBLAS asks this function of its
 * own what OPENBLAS_NUM_THREADS says, and the dynamic linker finds the program's first. (The
 * variable itself cannot be set in time: the C library takes over the environment after all that
 * could run earlier.)
 */
__attribute__((visibility("default"))) int openblas_num_threads_env(void);

int openblas_num_threads_env(void) {
    return 1;
}
