/* What defaulting functions do to types of core, apps and batch. */
#include "api/default_int.h"

const dray_default_hook dray_default_hooks_core[] = {{0}};
const size_t dray_n_default_hooks_core = 0;
