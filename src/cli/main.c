/* The program: what a failed malloc does, and the commands. */
#include "cli/command.h"

#include <stdio.h>
#include <stdlib.h>

static void end_without_memory(size_t bytes) {
    fprintf(stderr, "dray: out of memory (asked for %zu bytes)\n", bytes);
    exit(DRAY_EXIT_ERROR);
}

int main(int argc, char **argv) {
    dray_set_oom_handler(end_without_memory);
    return dray_main(argc, argv);
}
