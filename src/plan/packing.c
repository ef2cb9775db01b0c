/* Packing: fragments of a node, and what a task adds to them. */
#include "plan/packing.h"

#include <math.h>

/* Fragments are an expectation over a mix that is itself a sample: nodes whose fragments grow by
 * amounts nearer than this are alike, and the one with least left wins. Found by trial on the openb
 * traces, where 30 to 50 do equally well. */
enum { ALIKE = 40 };

static const uint16_t *shares_of(const dray_packing_node *node, uint32_t request) {
    return node->shares + (size_t)request * node->n;
}

static bool may_use(const dray_packing_node *node, const uint16_t *shares, uint32_t device) {
    return shares[device] != 0 && node->free[device] >= shares[device];
}

double dray_packing_left(const dray_packing_node *node) {
    uint32_t sum = 0;
    for (uint32_t i = 0; i < node->n; i++)
        sum += node->free[i];
    return sum;
}

double dray_packing_usable(const dray_packing_node *node, const dray_packing_kind *kind) {
    const uint16_t *shares = shares_of(node, kind->request);
    uint32_t sum = 0, found = 0;
    for (uint32_t i = 0; i < node->n; i++)
        if (may_use(node, shares, i)) {
            sum += node->free[i];
            found++;
        }
    /* What is more than a whole number of tasks could take is of no use. */
    return found != 0 ? (double)sum * (found - found % kind->devices) / found : 0;
}

/* How many of the kind's tasks the processors are enough for. */
static size_t fitting(const dray_packing_kind *kind, int64_t cpu_milli) {
    size_t low = 0, high = kind->n;
    while (low < high) {
        size_t middle = (low + high) / 2;
        if (kind->cpu_milli[middle] <= cpu_milli)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* How likely a task of the kind is that the node has the processors for. */
static double weight_of(const dray_packing_kind *kind, int64_t cpu_milli) {
    size_t n = fitting(kind, cpu_milli);
    return n != 0 ? kind->weight[n - 1] : 0;
}

uint64_t dray_packing_stage(const dray_packing_mix *mix, int64_t cpu_milli) {
    uint64_t hash = 0xcbf29ce484222325u;
    for (size_t k = 0; k < mix->n; k++)
        hash = (hash ^ fitting(&mix->v[k], cpu_milli)) * 0x9e3779b97f4a7c15u;
    return hash;
}

double dray_packing_fragments(const dray_packing_mix *mix, double left, const double *usable,
                              int64_t cpu_milli) {
    double sum = left;
    for (size_t k = 0; k < mix->n && left > 0; k++)
        if (usable[k] > 0)
            sum -= weight_of(&mix->v[k], cpu_milli) * usable[k];
    return sum;
}

void dray_packing_take(dray_packing_node *node, const dray_packing_task *task, uint32_t device) {
    node->cpu_milli -= task->cpu_milli;
    node->memory -= task->memory;
    if (task->devices == 0)
        return;
    const uint16_t *shares = shares_of(node, task->request);
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

double dray_packing_cost(dray_packing packing, const dray_packing_node *node,
                         const dray_packing_after *after) {
    if (packing == DRAY_PACKING_FRAG)
        return round(after->growth / ALIKE) * ALIKE +
               after->left / DRAY_PACKING_WHOLE / DRAY_PACKING_DEVICES;
    /* Each resource as a part of all there is; devices count most. Of a node's devices the fullest
     * one first, then the node. */
    double left =
        after->left / DRAY_PACKING_WHOLE + part(after->cpu_milli, node->all_cpu_milli) / 4 +
        part(after->memory, node->all_memory) / 4 + after->beside / DRAY_PACKING_WHOLE / 1024;
    return packing == DRAY_PACKING_PACK ? left : -left;
}

/* Of the devices that were taken from. */
static double left_beside(const dray_packing_node *now, const dray_packing_node *then) {
    uint32_t sum = 0, n = 0;
    for (uint32_t i = 0; i < now->n; i++)
        if (now->free[i] != then->free[i]) {
            sum += then->free[i];
            n++;
        }
    return n != 0 ? (double)sum / n : 0;
}

static double cost_of(dray_packing packing, const dray_packing_mix *mix,
                      const dray_packing_node *node, const dray_packing_task *task, uint32_t device,
                      double fragments) {
    dray_packing_node then = *node;
    dray_packing_take(&then, task, device);
    dray_packing_after after = {.left = dray_packing_left(&then),
                                .beside = left_beside(node, &then),
                                .cpu_milli = then.cpu_milli,
                                .memory = then.memory};
    if (packing == DRAY_PACKING_FRAG) {
        double usable[DRAY_PACKING_KINDS_MAX];
        for (size_t k = 0; k < mix->n; k++)
            usable[k] = dray_packing_usable(&then, &mix->v[k]);
        after.growth = dray_packing_fragments(mix, after.left, usable, then.cpu_milli) - fragments;
    }
    return dray_packing_cost(packing, node, &after);
}

/* Whether task and mix can't tell the two devices apart. */
static bool are_alike(const dray_packing_mix *mix, const dray_packing_node *node,
                      const dray_packing_task *task, uint32_t i, uint32_t k) {
    bool alike = node->free[k] == node->free[i] &&
                 shares_of(node, task->request)[k] == shares_of(node, task->request)[i];
    for (size_t m = 0; m < mix->n && alike; m++) {
        const uint16_t *shares = shares_of(node, mix->v[m].request);
        alike = shares[k] == shares[i];
    }
    return alike;
}

static bool is_twin(const dray_packing_mix *mix, const dray_packing_node *node,
                    const dray_packing_task *task, uint32_t i) {
    for (uint32_t k = 0; k < i; k++)
        if (are_alike(mix, node, task, i, k))
            return true;
    return false;
}

/* Of several devices: whether it matters which. */
static dray_packing_fit fits(const dray_packing_mix *mix, const dray_packing_node *node,
                             const dray_packing_task *task) {
    if (node->cpu_milli < task->cpu_milli || node->memory < task->memory)
        return DRAY_PACKING_DOES_NOT_FIT;
    const uint16_t *shares = task->devices != 0 ? shares_of(node, task->request) : NULL;
    uint32_t found = 0, first = 0;
    bool alike = true;
    for (uint32_t i = 0; i < node->n && task->devices != 0; i++) {
        if (!may_use(node, shares, i))
            continue;
        if (found++ == 0)
            first = i;
        alike = alike && (task->devices == 1 || found == 1 || are_alike(mix, node, task, i, first));
    }
    if (found < task->devices)
        return DRAY_PACKING_DOES_NOT_FIT;
    return alike || found == task->devices ? DRAY_PACKING_FITS : DRAY_PACKING_UNCLEAR;
}

dray_packing_fit dray_packing_rate(dray_packing packing, const dray_packing_mix *mix,
                                   const dray_packing_node *node, const dray_packing_task *task,
                                   double fragments, dray_packing_choice *ret) {
    dray_packing_fit fit = fits(mix, node, task);
    bool any = false;
    if (fit != DRAY_PACKING_FITS)
        return fit;
    for (uint32_t i = 0; i < (task->devices == 1 ? node->n : 1); i++) {
        if (task->devices == 1 &&
            (!may_use(node, shares_of(node, task->request), i) || is_twin(mix, node, task, i)))
            continue;
        double cost = cost_of(packing, mix, node, task, i, fragments);
        if (!any || cost < ret->cost)
            *ret = (dray_packing_choice){.cost = cost, .device = i};
        any = true;
    }
    return DRAY_PACKING_FITS;
}
