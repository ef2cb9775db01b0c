/* Packing: fragments of a node, and what a task adds to them. */
#include "plan/packing.h"

#include <math.h>

/* Fragments are an expectation over a mix that is itself a sample: nodes whose fragments grow by
 * amounts nearer than this are alike, and the one with least left wins. Found by trial on the openb
 * traces, where 30 to 50 do equally well. */
enum { ALIKE = 40 };

static const uint16_t *shares_of(const dray_packing_node *node, const dray_packing_task *task) {
    return node->shares + (size_t)task->request * node->n;
}

static bool may_use(const dray_packing_node *node, const uint16_t *shares, uint32_t device) {
    return shares[device] != 0 && node->free[device] >= shares[device];
}

static bool fits(const dray_packing_node *node, const dray_packing_task *task) {
    if (node->cpu_milli < task->cpu_milli || node->memory < task->memory)
        return false;
    uint32_t found = 0;
    for (uint32_t i = 0; i < node->n && found < task->devices; i++)
        found += may_use(node, shares_of(node, task), i);
    return found == task->devices;
}

static double fragments_for(const dray_packing_node *node, const dray_packing_task *task,
                            uint32_t all_free) {
    if (task->devices == 0 || !fits(node, task))
        return all_free;
    const uint16_t *shares = shares_of(node, task);
    uint32_t useless = 0;
    for (uint32_t i = 0; i < node->n; i++)
        if (!may_use(node, shares, i))
            useless += node->free[i];
    return useless;
}

double dray_packing_fragments(const dray_packing_mix *mix, const dray_packing_node *node) {
    uint32_t all_free = 0;
    for (uint32_t i = 0; i < node->n; i++)
        all_free += node->free[i];
    double sum = 0;
    for (size_t i = 0; i < mix->n && all_free != 0; i++)
        sum += mix->v[i].weight * fragments_for(node, &mix->v[i], all_free);
    return sum;
}

void dray_packing_take(dray_packing_node *node, const dray_packing_task *task, uint32_t device) {
    node->cpu_milli -= task->cpu_milli;
    node->memory -= task->memory;
    if (task->devices == 0)
        return;
    const uint16_t *shares = shares_of(node, task);
    if (task->devices == 1) {
        node->free[device] = (uint16_t)(node->free[device] - shares[device]);
        return;
    }
    uint32_t left = task->devices;
    for (uint32_t i = 0; i < node->n && left != 0; i++) {
        if (!may_use(node, shares, i))
            continue;
        node->free[i] = (uint16_t)(node->free[i] - shares[i]);
        left--;
    }
}

static double part(int64_t free, int64_t all) {
    return all > 0 ? (double)free / (double)all : 0;
}

static uint32_t free_of(const dray_packing_node *node) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < node->n; i++)
        sum += node->free[i];
    return sum;
}

/* What is left of the node, each resource as a part of all there is; devices count most. */
static double left_of(const dray_packing_node *node) {
    return (double)free_of(node) / DRAY_PACKING_WHOLE +
           part(node->cpu_milli, node->all_cpu_milli) / 4 +
           part(node->memory, node->all_memory) / 4;
}

static double cost_of(dray_packing packing, const dray_packing_mix *mix,
                      const dray_packing_node *node, const dray_packing_task *task, uint32_t device,
                      double fragments) {
    dray_packing_node after = *node;
    dray_packing_take(&after, task, device);
    if (packing == DRAY_PACKING_FRAG)
        return round((dray_packing_fragments(mix, &after) - fragments) / ALIKE) * ALIKE +
               (double)free_of(&after) / DRAY_PACKING_WHOLE / DRAY_PACKING_DEVICES;
    /* Of a node's devices the fullest one first, then the node. */
    double device_left = task->devices == 1 ? (double)after.free[device] / DRAY_PACKING_WHOLE : 0;
    double left = left_of(&after) + device_left / 1024;
    return packing == DRAY_PACKING_PACK ? left : -left;
}

/* Whether a device before i was rated that the task and the mix can't tell from it. */
static bool is_twin(const dray_packing_mix *mix, const dray_packing_node *node,
                    const dray_packing_task *task, uint32_t i) {
    for (uint32_t k = 0; k < i; k++) {
        bool alike =
            node->free[k] == node->free[i] && shares_of(node, task)[k] == shares_of(node, task)[i];
        for (size_t m = 0; m < mix->n && alike; m++) {
            const uint16_t *shares = shares_of(node, &mix->v[m]);
            alike = mix->v[m].devices == 0 || shares[k] == shares[i];
        }
        if (alike)
            return true;
    }
    return false;
}

bool dray_packing_rate(dray_packing packing, const dray_packing_mix *mix,
                       const dray_packing_node *node, const dray_packing_task *task,
                       double fragments, dray_packing_choice *ret) {
    if (!fits(node, task))
        return false;
    bool any = false;
    for (uint32_t i = 0; i < (task->devices == 1 ? node->n : 1); i++) {
        if (task->devices == 1 &&
            (!may_use(node, shares_of(node, task), i) || is_twin(mix, node, task, i)))
            continue;
        double cost = cost_of(packing, mix, node, task, i, fragments);
        if (!any || cost < ret->cost)
            *ret = (dray_packing_choice){.cost = cost, .device = i};
        any = true;
    }
    return any;
}
