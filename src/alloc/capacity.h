/* Consumable capacity: what a request consumes of a device, rounded as the device's policy says.
 *
 *     dray_room room = dray_capacity_check(want, device, fractional, arena, NULL, NULL);
 *
 * want may be NULL. Pure; any thread. Source: KEP-5075.
 */
#ifndef DRAY_ALLOC_CAPACITY_H
#define DRAY_ALLOC_CAPACITY_H

#include "api/types.h"
#include "cluster/amount.h"

typedef enum dray_room {
    DRAY_ROOM_YES,
    DRAY_ROOM_NO_NAME,  /* a requested capacity is not there */
    DRAY_ROOM_TOO_MUCH, /* more than the device has, unused */
    DRAY_ROOM_POLICY,   /* the policy has no such value */
    DRAY_ROOM_ERROR,
} dray_room;
/* The device as if nothing were consumed. With ret_amounts: what a share consumes, one for each
 * capacity in the map's order, in arena. error may be NULL. */
dray_room dray_capacity_check(const dray_resource_capacity_requirements *want,
                              const dray_resource_device *device, bool fractional,
                              dray_arena *arena, dray_amount **ret_amounts, dray_str *error);
/* The quantities of consumedCapacity. */
dray_quantity dray_capacity_amount(const dray_resource_capacity_requirements *want,
                                   const dray_resource_device *device, size_t i, bool fractional,
                                   dray_arena *arena);

#endif
