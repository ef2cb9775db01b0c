/* Devices for CEL out of files: those of ResourceSlices, and bare ones with their driver.
 *
 *     dray_cel_devices devices = {.input = input, .gates = &gates, .now = now};
 *     dray_input_read_path(input, "slice.yaml", dray_cel_devices_take, &devices);
 *     devices.list.v[0].name                                 "gpu-0"
 */
#ifndef DRAY_CLI_CEL_DEVICES_H
#define DRAY_CLI_CEL_DEVICES_H

#include "api/types.h"
#include "cli/input.h"
#include "explain/cel_advice.h"

typedef struct dray_cel_device {
    dray_str name; /* "gpu-0"; of several slices also with the pool: "n1/gpu-0" */
    dray_str pool;
    dray_cel_subject subject;
} dray_cel_device;

typedef struct dray_cel_devices {
    dray_input *input;
    const dray_gates *gates;
    dray_time now;
    dray_str only; /* the device to take; absent: all */
    bool only_slices;
    DRAY_VEC(dray_cel_device) list;
} dray_cel_devices;

/* A dray_input_each: ResourceSlices of any served version; other objects are passed over; a map
 * without apiVersion is a device, with `driver` beside its members, unless only_slices. */
void dray_cel_devices_take(void *devices, const char *file, const dray_node *root);

#endif
