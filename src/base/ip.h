/* IP addresses and networks as Go's net/netip reads and writes them.
 *
 *     dray_ip ip;
 *     dray_str why;
 *     if (!dray_ip_read(DRAY_STR("10.0.0.256"), arena, &ip, &why))
 *         …                                  why: ParseAddr("10.0.0.256"): IPv4 field has …
 *
 * Values own nothing. Pure; any thread. On failure *ret is untouched.
 */
#ifndef DRAY_BASE_IP_H
#define DRAY_BASE_IP_H

#include "base/str.h"

/* An IPv4 address stands in the first four bytes. */
typedef struct dray_ip {
    uint8_t bytes[16];
    bool v6;
    bool zone; /* "%eth0" was there */
} dray_ip;

typedef struct dray_ip_prefix {
    dray_ip addr;
    int bits;
} dray_ip_prefix;

/* False with *ret_why, Go's text, in arena. ret_why may be NULL, and then arena too. */
bool dray_ip_read(dray_str text, dray_arena *arena, dray_ip *ret, dray_str *ret_why);
bool dray_ip_prefix_read(dray_str text, dray_arena *arena, dray_ip_prefix *ret, dray_str *ret_why);
/* As Kubernetes reads old fields: numbers may begin with zeros, and no zone. *ret_strict: whether
 * they do not. The second is for "10.0.0.1/8". */
bool dray_ip_read_lenient(dray_str text, dray_ip *ret, bool *ret_strict);
bool dray_ip_prefix_read_lenient(dray_str text, dray_ip_prefix *ret, bool *ret_strict);
/* RFC 5952. */
void dray_ip_print(dray_buf *out, const dray_ip *addr);

bool dray_ip_is_mapped(const dray_ip *a); /* ::ffff:1.2.3.4 */
bool dray_ip_is_unspecified(const dray_ip *a);
bool dray_ip_is_loopback(const dray_ip *a);
bool dray_ip_is_link_local_multicast(const dray_ip *a);
bool dray_ip_is_link_local_unicast(const dray_ip *a);
bool dray_ip_is_global_unicast(const dray_ip *a);
bool dray_ip_same(const dray_ip *a, const dray_ip *b);
/* The address with all bits past the prefix cleared. */
dray_ip dray_ip_masked(const dray_ip *a, int bits);

/* The IPv4 address that is mapped; the address itself where none is. */
dray_ip dray_ip_unmapped(dray_ip a);

#endif
