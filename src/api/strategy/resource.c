/* Strategies of resource.k8s.io. */
#include "api/strategy.h"

const dray_strategy dray_strategies_resource[] = {{0}};
const size_t dray_n_strategies_resource = 0;
