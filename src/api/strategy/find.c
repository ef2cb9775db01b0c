/* The strategy of a kind. */
#include "api/strategy.h"

static const dray_strategy *find_in(const dray_strategy *table, size_t n, const dray_kind *kind) {
    for (size_t i = 0; i < n; i++)
        if (strcmp(table[i].kind, kind->kind) == 0 && strcmp(table[i].group, kind->group) == 0)
            return &table[i];
    return NULL;
}

const dray_strategy *dray_strategy_find(const dray_kind *kind) {
    const dray_strategy *found =
        find_in(dray_strategies_resource, dray_n_strategies_resource, kind);
    return found != NULL ? found : find_in(dray_strategies_core, dray_n_strategies_core, kind);
}
