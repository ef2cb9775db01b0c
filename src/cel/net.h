/* IP addresses and networks as Go's net/netip reads and writes them. */
#ifndef DRAY_CEL_NET_H
#define DRAY_CEL_NET_H

#include "base/str.h"

/* An IPv4 address stands in the first four bytes. */
typedef struct dray_cel_addr {
    uint8_t bytes[16];
    bool v6;
    bool zone; /* "%eth0" was there */
} dray_cel_addr;

typedef struct dray_cel_prefix {
    dray_cel_addr addr;
    int bits;
} dray_cel_prefix;

/* False with *ret_why, Go's text, in arena. */
bool dray_cel_addr_read(dray_str text, dray_arena *arena, dray_cel_addr *ret, dray_str *ret_why);
bool dray_cel_prefix_read(dray_str text, dray_arena *arena, dray_cel_prefix *ret,
                          dray_str *ret_why);
/* RFC 5952. */
void dray_cel_addr_print(dray_buf *out, const dray_cel_addr *addr);

bool dray_cel_addr_is_mapped(const dray_cel_addr *a); /* ::ffff:1.2.3.4 */
bool dray_cel_addr_is_unspecified(const dray_cel_addr *a);
bool dray_cel_addr_is_loopback(const dray_cel_addr *a);
bool dray_cel_addr_is_link_local_multicast(const dray_cel_addr *a);
bool dray_cel_addr_is_link_local_unicast(const dray_cel_addr *a);
bool dray_cel_addr_is_global_unicast(const dray_cel_addr *a);
bool dray_cel_addr_same(const dray_cel_addr *a, const dray_cel_addr *b);
/* The address with all bits past the prefix cleared. */
dray_cel_addr dray_cel_addr_masked(const dray_cel_addr *a, int bits);

#endif
