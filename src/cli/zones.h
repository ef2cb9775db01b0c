/* Time zones of this machine, for CEL's timestamps: the files under /usr/share/zoneinfo. */
#ifndef DRAY_CLI_ZONES_H
#define DRAY_CLI_ZONES_H

#include "cel/clock.h"

enum {
    DRAY_ZONE_FILE_LIMIT = 1 << 20, /* bytes of one file */
    DRAY_ZONES = 64,                /* zones that are kept; past it they are read again */
};

/* Freed by dray_zones_free. One owner at a time. */
dray_cel_zones *dray_zones_new(void);
void dray_zones_free(dray_cel_zones *zones);

#endif
