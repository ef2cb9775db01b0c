/* The envelope round a stored or sent object: k8s, a NUL, and a runtime.Unknown message. */
#ifndef DRAY_API_PROTO_INT_H
#define DRAY_API_PROTO_INT_H

#define DRAY_PROTO_PREFIX "k8s\0"
enum { DRAY_PROTO_PREFIX_BYTES = 4 };

/* Field numbers of runtime.Unknown. */
enum {
    DRAY_UNKNOWN_TYPE_META = 1, /* apiVersion = 1, kind = 2 */
    DRAY_UNKNOWN_RAW = 2,
    DRAY_UNKNOWN_ENCODING = 3,
    DRAY_UNKNOWN_CONTENT = 4,
};

#endif
