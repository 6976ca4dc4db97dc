/* peak FILE COMMAND...: runs the command and writes two numbers to FILE: the most memory it held,
 * in kilobytes, and the milliseconds it took. Leaves as the command did, as a shell has it (128 +
 * the signal).
 *
 * The kernel keeps the high-water mark, so that a peak as short as it may be is seen, on a busy
 * machine too.
 */
#include <stdio.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static long long milliseconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return 1000ll * t.tv_sec + t.tv_nsec / 1000000;
}

int main(int argc, char **argv) {
    if (argc < 3)
        return 125;
    long long start = milliseconds();
    pid_t child = fork();
    if (child < 0)
        return 125;
    if (child == 0) {
        execvp(argv[2], argv + 2);
        _exit(127);
    }
    int status;
    struct rusage used;
    if (wait4(child, &status, 0, &used) != child)
        return 125;
    FILE *file = fopen(argv[1], "w");
    if (file == NULL)
        return 125;
    fprintf(file, "%ld %lld\n", used.ru_maxrss, milliseconds() - start);
    if (fclose(file) != 0)
        return 125;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
