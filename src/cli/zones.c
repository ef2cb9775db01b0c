/* Time zones of this machine. */
#include "cli/zones.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

typedef struct zone {
    char *name;
    char *bytes; /* NULL: there is no such zone */
    size_t n;
} zone;

typedef struct zones {
    dray_cel_zones table; /* first: handed out */
    zone v[DRAY_ZONES];
    size_t n;
} zones;

/* Letters, digits and what else stands in names; nothing that leaves the folder. */
static bool is_name(dray_str name) {
    for (size_t i = 0; i < name.n; i++)
        if (name.p[i] <= ' ' || name.p[i] == '\\' || name.p[i] == 0x7f)
            return false;
    return name.n > 0 && name.n < 128 && name.p[0] != '/' &&
           dray_str_find(name, DRAY_STR("..")) == SIZE_MAX;
}

static bool read_file(dray_str name, char **ret, size_t *ret_n) {
    char path[256];
    snprintf(path, sizeof path, "/usr/share/zoneinfo/" DRAY_FMT, DRAY_ARG(name));
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    char *bytes = dray_malloc(DRAY_ZONE_FILE_LIMIT);
    size_t n = 0;
    ssize_t got;
    while (n < DRAY_ZONE_FILE_LIMIT && (got = read(fd, bytes + n, DRAY_ZONE_FILE_LIMIT - n)) > 0)
        n += (size_t)got;
    close(fd);
    *ret = dray_realloc(bytes, n > 0 ? n : 1);
    *ret_n = n;
    return true;
}

static zone *find(zones *z, dray_str name) {
    for (size_t i = 0; i < z->n; i++)
        if (dray_str_is(name, z->v[i].name))
            return &z->v[i];
    if (z->n == DRAY_ZONES) {
        free(z->v[0].name);
        free(z->v[0].bytes);
        z->v[0] = z->v[--z->n];
    }
    zone *new = &z->v[z->n++];
    *new = (zone){.name = dray_malloc(name.n + 1)};
    memcpy(new->name, name.p, name.n);
    new->name[name.n] = '\0';
    read_file(name, &new->bytes, &new->n);
    return new;
}

static bool offset(void *context, dray_str name, int64_t sec, int32_t *ret_seconds) {
    if (!is_name(name))
        return false;
    const zone *found = find(context, name);
    return found->bytes != NULL &&
           dray_cel_zone_offset((dray_str){found->bytes, found->n}, sec, ret_seconds);
}

dray_cel_zones *dray_zones_new(void) {
    zones *z = dray_calloc(1, sizeof *z);
    z->table = (dray_cel_zones){z, offset};
    return &z->table;
}

void dray_zones_free(dray_cel_zones *table) {
    zones *z = (zones *)table;
    for (size_t i = 0; z != NULL && i < z->n; i++) {
        free(z->v[i].name);
        free(z->v[i].bytes);
    }
    free(z);
}
