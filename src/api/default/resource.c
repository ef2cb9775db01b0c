/* What defaulting functions do to types of resource.k8s.io. */
#include "api/default_int.h"

const dray_default_hook dray_default_hooks_resource[] = {{0}};
const size_t dray_n_default_hooks_resource = 0;
