/* Interface addresses in CIDR form, as Go reads them leniently and prints them canonically. */
#include "api/validate/resource_int.h"

#include "base/ip.h"

/* The canonical form, or an absent string for what is no address with a length. */
static dray_str canonical(dray_request *rq, dray_str value) {
    dray_ip_prefix p;
    bool strict;
    if (!dray_ip_prefix_read_lenient(value, &p, &strict))
        return DRAY_STR_NONE;
    bool mapped = dray_ip_is_mapped(&p.addr);
    dray_ip ip = dray_ip_unmapped(p.addr);
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_ip_print(&out, &ip);
    dray_buf_addf(&out, "/%d", mapped && p.bits > 32 ? p.bits - 96 : p.bits);
    return dray_str_dup(rq->arena, dray_buf_str(&out));
}

void dray_resource_interface_address(dray_request *rq, dray_str value, const dray_path *path) {
    dray_str good = canonical(rq, value);
    if (good.p == NULL)
        fail_invalid(rq, path, value,
                     DRAY_STR("must be a valid address in CIDR form, (e.g. 10.9.8.7/24 or "
                              "2001:db8::1/64)"));
    else if (!dray_str_eq(good, value))
        fail_invalid(rq, path, value,
                     DETAIL(rq, "must be in canonical form (\"" DRAY_FMT "\")", DRAY_ARG(good)));
}
