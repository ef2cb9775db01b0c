/* Private to celk8s: a compiled selector. */
#ifndef DRAY_CELK8S_PROGRAM_INT_H
#define DRAY_CELK8S_PROGRAM_INT_H

#include "cel/cel.h"
#include "cel/paths.h"
#include "celk8s/celk8s.h"

struct dray_celk8s_program {
    dray_arena *arena;
    dray_cel_program *program;
    const dray_cel_ast *ast;
    const dray_cel_zones *zones;
    dray_str type;
    uint64_t max_cost;
    bool estimated;
    bool no_lists; /* up to 1.36, without their gate: a list is no value of an attribute */
    /* What it reads, when that is single values: driver, attributes, capacity by name. */
    bool by_paths;
    dray_cel_paths paths;
    dray_str *path_keys; /* names joined by NULs */
};

#endif
