/* `dray version`. */
#include "cli/command.h"

#include "obj/gates.h"

#include <stdio.h>

static int run(dray_args *args) {
    printf("dray %s (Kubernetes 1.%d to 1.%d)\n", DRAY_VERSION, DRAY_RELEASE_OLDEST,
           DRAY_RELEASE_NEWEST);
    return DRAY_EXIT_OK;
}

const dray_command dray_cmd_version = {
    .name = "version",
    .usage = "",
    .summary = "which dray this is, and whose rules it knows",
    .run = run,
};
