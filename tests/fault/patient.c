/* Ranks that wait without work for the processor: LD_PRELOAD this object.
 *
 * Open MPI waits for a message by asking for it over and over; between two looks it calls
 * sched_yield where mpi_yield_when_idle is set. Here that call sleeps for a moment, so that more
 * ranks than processors do not spend their time on looking.
 */
#include <sched.h>
#include <time.h>

int sched_yield(void) {
    return nanosleep(&(struct timespec){.tv_nsec = 20000}, 0);
}
