/* Strategies of core, apps, batch and scheduling.k8s.io. */
#include "api/strategy.h"

const dray_strategy dray_strategies_core[] = {{0}};
const size_t dray_n_strategies_core = 0;
