/* Lists of quantities that take from others what they lack, and what a Pod asks for itself where
 * only its containers say so. Private to default/ and strategy/.
 */
#ifndef DRAY_API_DEFAULT_POD_LEVEL_INT_H
#define DRAY_API_DEFAULT_POD_LEVEL_INT_H

#include "api/rules/pod_request.h"

/* to and what `from` has besides, sorted; in arena. */
dray_resource_list dray_resources_merge(dray_resource_list to, dray_resource_list from,
                                        dray_arena *arena);

/* MERGE(container->resources->requests, DRAY_RESOURCES(container->resources->limits), arena) */
#define MERGE(map, from, arena)                                                               \
    do {                                                                                      \
        dray_resource_list all_ = dray_resources_merge(DRAY_RESOURCES(map), (from), (arena)); \
        (map).k = all_.k, (map).v = all_.v, (map).n = all_.n;                                 \
    } while (0)

/* Pod-level limits of huge pages from the containers', requests from the containers' and from the
 * Pod's limits; with `limits`, limits too where every container has one (KEP-2837). */
void dray_default_pod_level(dray_core_pod_spec *spec, bool limits, dray_arena *arena);

#endif
