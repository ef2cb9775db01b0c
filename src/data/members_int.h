/* The members of a map in the order in which they are written. */
#ifndef DRAY_DATA_MEMBERS_INT_H
#define DRAY_DATA_MEMBERS_INT_H

#include "data/tree.h"

/* Pointers to map's members by key, of duplicates the last; the array lives in arena. */
const dray_member **dray_members_sorted(const dray_node *map, dray_arena *arena, size_t *ret_n);

#endif
