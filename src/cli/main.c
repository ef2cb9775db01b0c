/* The program: finds the command and runs it. */
#include "cli/debug.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void end_without_memory(size_t bytes) {
    fprintf(stderr, "dray: out of memory (asked for %zu bytes)\n", bytes);
    exit(1);
}

int main(int argc, char **argv) {
    dray_set_oom_handler(end_without_memory);
    if (argc >= 2 && strcmp(argv[1], "debug") == 0)
        return dray_debug_main(argc - 2, argv + 2);
    fprintf(stderr, "usage: dray COMMAND\n");
    return 2;
}
