/* Signals that ask the program to stop. */
#include "signals.h"

#include <signal.h>
#include <stddef.h>
#include <unistd.h>

static volatile sig_atomic_t caught, held, sender;

static void on_signal(int number, siginfo_t *about, void *context) {
    (void)context;
    if (caught != 0 && !held)
        _exit(128 + number);
    if (caught == 0) {
        caught = number;
        sender = about->si_pid;
    }
}

void signals_catch(void) {
    struct sigaction action = {.sa_sigaction = on_signal, .sa_flags = SA_SIGINFO}, before;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    /* nohup means it */
    if (sigaction(SIGHUP, NULL, &before) == 0 && before.sa_handler != SIG_IGN)
        sigaction(SIGHUP, &action, NULL);
    /* a closed pipe and a file that grows too large are write errors like any other */
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
}

int signals_caught(void) {
    return caught;
}

int signals_sender(void) {
    return sender;
}

const char *signals_word(void) {
    return caught == SIGTERM ? "terminated" : caught == SIGHUP ? "hung up" : "interrupted";
}

void signals_hold(bool hold) {
    held = hold;
}
