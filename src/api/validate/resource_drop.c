/* Dropping what is behind a gate that is off: by the tables' gates column. */
#include "api/validate/resource_int.h"

enum { CACHE = 64, MAX_GATES = 16 };

/* Gates are bits, in the order of the caller's list. */
typedef struct dropper {
    const dray_gate *gates;
    size_t n_gates;
    bool first_only;
    uint32_t bits; /* walk: the gates to look for; result of find_used: those found */
    struct {
        const dray_field *field;
        uint32_t bits;
    } cache[CACHE];
} dropper;

static uint32_t gate_bits(dropper *d, const dray_field *field) {
    if (field->gates == NULL)
        return 0;
    size_t slot = ((uintptr_t)field / sizeof(dray_field)) % CACHE;
    if (d->cache[slot].field == field)
        return d->cache[slot].bits;
    uint32_t bits = 0;
    dray_str name, rest = dray_str_of(field->gates);
    bool more = true;
    while (more) {
        more = dray_str_cut(rest, ',', &name, &rest);
        for (size_t i = 0; i < d->n_gates; i++)
            if (dray_str_is(name, dray_gate_name(d->gates[i])))
                bits |= UINT32_C(1) << i;
        more = more && !d->first_only;
    }
    d->cache[slot].field = field;
    d->cache[slot].bits = bits;
    return bits;
}

/* A list or map with something in it, a pointer that is set. */
static bool is_used(const dray_field *field, const void *value) {
    if (field->container == DRAY_LIST)
        return ((const dray_any_list *)value)->n > 0;
    if (field->container == DRAY_MAP)
        return ((const dray_any_map *)value)->n > 0;
    switch ((dray_shape)field->shape) {
    case DRAY_SHAPE_STRING:
    case DRAY_SHAPE_ANY:
    case DRAY_SHAPE_BYTES:
        return ((const dray_str *)value)->p != NULL;
    case DRAY_SHAPE_BOOL:
        return ((const dray_opt_bool *)value)->set;
    case DRAY_SHAPE_INT32:
        return ((const dray_opt_int32 *)value)->set;
    case DRAY_SHAPE_INT64:
        return ((const dray_opt_int64 *)value)->set;
    case DRAY_SHAPE_TIME:
    case DRAY_SHAPE_MICRO_TIME:
        return ((const dray_time *)value)->set;
    case DRAY_SHAPE_QUANTITY:
    case DRAY_SHAPE_OBJECT:
        return *(void *const *)value != NULL;
    case DRAY_SHAPE_INT_OR_STRING:
    case DRAY_SHAPE_STRINGS:
        return false;
    }
    return false;
}

static size_t field_bytes(const dray_field *field) {
    if (field->container == DRAY_LIST)
        return sizeof(dray_any_list);
    return field->container == DRAY_MAP ? sizeof(dray_any_map) : dray_field_element_size(field);
}

typedef void visit(dropper *d, const dray_field *field, void *value);

static void note_used(dropper *d, const dray_field *field, void *value) {
    if (is_used(field, value))
        d->bits |= gate_bits(d, field);
}

static void clear(dropper *d, const dray_field *field, void *value) {
    if ((gate_bits(d, field) & d->bits) != 0)
        memset(value, 0, field_bytes(field));
}

/* As deep as the types of the tables nest. */
static void walk(dropper *d, const dray_type *type, void *body, visit *each) {
    for (uint32_t i = 0; i < type->n_fields; i++) {
        const dray_field *field = &type->fields[i];
        void *value = (char *)body + field->offset;
        if (field->gates != NULL)
            each(d, field, value);
        if (field->shape != DRAY_SHAPE_OBJECT)
            continue;
        if (field->container == DRAY_ONE) {
            if (*(void **)value != NULL)
                walk(d, field->ref, *(void **)value, each);
            continue;
        }
        bool list = field->container == DRAY_LIST;
        size_t n = list ? ((dray_any_list *)value)->n : ((dray_any_map *)value)->n;
        char *items = list ? ((dray_any_list *)value)->v : ((dray_any_map *)value)->v;
        for (size_t j = 0; j < n; j++)
            walk(d, field->ref, items + j * field->ref->size, each);
    }
}

void dray_resource_drop(dray_request *rq, const dray_type *type, void *body,
                        const dray_type *old_type, const void *old, const dray_gate *gates,
                        size_t n_gates, bool first_only) {
    dray_gate off[MAX_GATES];
    dropper d = {.gates = off, .first_only = first_only};
    for (size_t i = 0; i < n_gates && d.n_gates < MAX_GATES; i++)
        if (!dray_request_gate(rq, gates[i]))
            off[d.n_gates++] = gates[i];
    if (d.n_gates == 0)
        return;
    if (old != NULL)
        walk(&d, old_type, (void *)(uintptr_t)old, note_used);
    d.bits = ~d.bits & ((UINT32_C(1) << d.n_gates) - 1);
    if (d.bits != 0)
        walk(&d, type, body, clear);
}
