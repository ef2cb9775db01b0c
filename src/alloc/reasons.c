/* Why not: the first thing that keeps each device from each request. */
#include "alloc/alloc_int.h"

void dray_run_reasons(dray_run *run, dray_alloc_outcome *ret) {
    (void)run;
    (void)ret;
}
