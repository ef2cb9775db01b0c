/* Decoding values: strings, numbers, quantities, times, base64, raw JSON.
 * Source: Go's decoder for what is stored and which error is given; the UnmarshalJSON methods of
 * resource.Quantity, metav1.Time, intstr.IntOrString and runtime.RawExtension. */
#include "api/decode_int.h"

#include "base/base64.h"
#include "data/json.h"

typedef void store(decoder *d, bool pointer, const dray_node *node, void *to,
                   const decode_step *at);

static void mismatch(decoder *d, const dray_node *node, const decode_step *at, const char *type) {
    dray_decode_mismatch(d, at, dray_decode_go_word(node), DRAY_STR_NONE, type);
}

/* An error of a type's own decoder: it ends everything at once. */
static void mismatch_now(decoder *d, const dray_node *node, const decode_step *at,
                         const char *type) {
    d->failed = false;
    mismatch(d, node, at, type);
    decode_end(d, DRAY_E_INVALID);
}

static void store_string(decoder *d, bool pointer, const dray_node *node, void *to,
                         const decode_step *at) {
    dray_str *s = to;
    if (node->kind == DRAY_NODE_NULL) {
        if (pointer)
            *s = DRAY_STR_NONE;
    } else if (node->kind != DRAY_NODE_STRING) {
        mismatch(d, node, at, NULL);
    } else {
        *s = node->text.p != NULL ? node->text : DRAY_STR("");
    }
}

/* Go's ParseInt on a JSON number: no fraction, no exponent, within the bounds. */
static bool parse_int(dray_str text, int64_t min, int64_t max, int64_t *ret) {
    bool negative = text.n > 0 && text.p[0] == '-';
    size_t i = negative;
    if (i == text.n)
        return false;
    int64_t value = 0;
    for (; i < text.n; i++) {
        int digit = text.p[i] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(value, 10, &value) ||
            __builtin_sub_overflow(value, digit, &value))
            return false;
    }
    if (!negative && __builtin_sub_overflow(0, value, &value))
        return false;
    *ret = value;
    return value >= min && value <= max;
}

static bool is_int(const dray_node *node, int64_t min, int64_t max, int64_t *ret) {
    return node->kind == DRAY_NODE_NUMBER && parse_int(node->text, min, max, ret);
}

/* type NULL: the field's own. */
static bool take_int(decoder *d, const dray_node *node, bool wide, const char *type,
                     const decode_step *at, int64_t *ret) {
    if (node->kind != DRAY_NODE_NUMBER) {
        mismatch(d, node, at, type);
        return false;
    }
    if (parse_int(node->text, wide ? INT64_MIN : INT32_MIN, wide ? INT64_MAX : INT32_MAX, ret))
        return true;
    dray_decode_mismatch(d, at, "number", node->text, type);
    return false;
}

static void store_int32(decoder *d, bool pointer, const dray_node *node, void *to,
                        const decode_step *at) {
    int64_t value;
    if (node->kind == DRAY_NODE_NULL) {
        if (pointer)
            *(dray_opt_int32 *)to = (dray_opt_int32){0};
    } else if (take_int(d, node, false, NULL, at, &value)) {
        if (pointer)
            *(dray_opt_int32 *)to = (dray_opt_int32){true, (int32_t)value};
        else
            *(int32_t *)to = (int32_t)value;
    }
}

static void store_int64(decoder *d, bool pointer, const dray_node *node, void *to,
                        const decode_step *at) {
    int64_t value;
    if (node->kind == DRAY_NODE_NULL) {
        if (pointer)
            *(dray_opt_int64 *)to = (dray_opt_int64){0};
    } else if (take_int(d, node, true, NULL, at, &value)) {
        if (pointer)
            *(dray_opt_int64 *)to = (dray_opt_int64){true, value};
        else
            *(int64_t *)to = value;
    }
}

static void store_bool(decoder *d, bool pointer, const dray_node *node, void *to,
                       const decode_step *at) {
    if (node->kind == DRAY_NODE_NULL) {
        if (pointer)
            *(dray_opt_bool *)to = (dray_opt_bool){0};
    } else if (node->kind != DRAY_NODE_BOOL) {
        mismatch(d, node, at, NULL);
    } else if (pointer) {
        *(dray_opt_bool *)to = (dray_opt_bool){true, node->truth};
    } else {
        *(bool *)to = node->truth;
    }
}

static dray_str trimmed(dray_str s) {
    while (s.n > 0 && strchr(" \t\n\r\v\f", s.p[0]) != NULL)
        s = dray_str_slice(s, 1, s.n);
    while (s.n > 0 && strchr(" \t\n\r\v\f", s.p[s.n - 1]) != NULL)
        s.n--;
    return s;
}

/* A number is read by its text; anything else than a string or number is no quantity. */
static dray_str quantity_text(const dray_node *node) {
    if (node->kind == DRAY_NODE_STRING || node->kind == DRAY_NODE_NUMBER)
        return trimmed(node->text.p != NULL ? node->text : DRAY_STR(""));
    return node->kind == DRAY_NODE_BOOL ? DRAY_STR("true") : DRAY_STR("{}");
}

static void store_quantity(decoder *d, bool pointer, const dray_node *node, void *to,
                           const decode_step *at) {
    (void)at;
    if (node->kind == DRAY_NODE_NULL) {
        if (pointer)
            *(dray_quantity **)to = NULL;
        else
            *(dray_quantity *)to = (dray_quantity){.form = ((dray_quantity *)to)->form};
        return;
    }
    dray_quantity q;
    dray_code code = dray_quantity_parse(quantity_text(node), d->arena, &q, d->err);
    if (code != DRAY_OK) {
        decode_end(d, code);
        return;
    }
    if (!pointer) {
        *(dray_quantity *)to = q;
        return;
    }
    dray_quantity *own = DRAY_NEW(d->arena, dray_quantity);
    *own = q;
    *(dray_quantity **)to = own;
}

static void store_time_as(decoder *d, const dray_node *node, void *to, const decode_step *at,
                          dray_code (*parse)(dray_str text, dray_time *ret, dray_err *err)) {
    if (node->kind == DRAY_NODE_NULL) {
        *(dray_time *)to = (dray_time){0};
    } else if (node->kind != DRAY_NODE_STRING) {
        mismatch_now(d, node, at, "string");
    } else {
        dray_code code = parse(node->text, to, d->err);
        if (code != DRAY_OK)
            decode_end(d, code);
    }
}

static void store_time(decoder *d, bool pointer, const dray_node *node, void *to,
                       const decode_step *at) {
    (void)pointer;
    store_time_as(d, node, to, at, dray_time_parse);
}

static void store_micro_time(decoder *d, bool pointer, const dray_node *node, void *to,
                             const decode_step *at) {
    (void)pointer;
    store_time_as(d, node, to, at, dray_time_parse_micro);
}

static void store_int_or_string(decoder *d, bool pointer, const dray_node *node, void *to,
                                const decode_step *at) {
    dray_int_or_string *v = to;
    int64_t value = 0;
    if (node->kind == DRAY_NODE_NULL) {
        *v = (dray_int_or_string){.kind = pointer ? DRAY_IOS_ABSENT : DRAY_IOS_INT, .i = v->i};
    } else if (node->kind == DRAY_NODE_STRING) {
        *v = (dray_int_or_string){.kind = DRAY_IOS_STRING, .s = node->text};
    } else if (is_int(node, INT32_MIN, INT32_MAX, &value)) {
        *v = (dray_int_or_string){.kind = DRAY_IOS_INT, .i = (int32_t)value};
    } else {
        d->failed = false;
        take_int(d, node, false, "int32", at, &value);
        decode_end(d, DRAY_E_INVALID);
    }
}

/* The bytes as they were sent; from YAML, what its conversion to JSON writes. */
static dray_str raw_json(decoder *d, const dray_node *node) {
    if (node->raw.p != NULL)
        return node->raw;
    DRAY_CLEANUP_BUF dray_buf out = DRAY_BUF_INIT;
    dray_json_write(&out, node, d->yaml);
    return dray_str_dup(d->arena, dray_buf_str(&out));
}

static void store_any(decoder *d, bool pointer, const dray_node *node, void *to,
                      const decode_step *at) {
    (void)at;
    if (node->kind != DRAY_NODE_NULL)
        *(dray_str *)to = raw_json(d, node);
    else if (pointer)
        *(dray_str *)to = DRAY_STR_NONE;
}

/* A list of numbers is a list of bytes to Go. */
static void store_byte_list(decoder *d, const dray_node *node, dray_str *to,
                            const decode_step *at) {
    char *out = dray_arena_bytes(d->arena, node->list.n + 1);
    for (size_t i = 0; i < node->list.n; i++) {
        const dray_node *item = &node->list.items[i];
        int64_t value = 0;
        if (item->kind != DRAY_NODE_NULL && item->kind != DRAY_NODE_NUMBER)
            mismatch(d, item, at, "uint8");
        else if (item->kind == DRAY_NODE_NUMBER && !parse_int(item->text, 0, 255, &value))
            dray_decode_mismatch(d, at, "number", item->text, "uint8");
        out[i] = (char)value;
    }
    *to = dray_str_n(out, node->list.n);
}

static void store_bytes(decoder *d, bool pointer, const dray_node *node, void *to,
                        const decode_step *at) {
    (void)pointer;
    if (node->kind == DRAY_NODE_NULL) {
        *(dray_str *)to = DRAY_STR_NONE;
        return;
    }
    if (node->kind == DRAY_NODE_LIST) {
        store_byte_list(d, node, to, at);
        return;
    }
    if (node->kind != DRAY_NODE_STRING) {
        mismatch(d, node, at, NULL);
        return;
    }
    char *out = dray_arena_bytes(d->arena, dray_base64_room(node->text));
    size_t n = 0, bad = dray_base64_read(node->text, out, &n);
    if (bad == SIZE_MAX) {
        *(dray_str *)to = dray_str_n(out, n);
    } else if (!d->failed) {
        d->failed = true;
        dray_err_set(d->err, DRAY_E_INVALID, "illegal base64 data at input byte %zu", bad);
    }
}

static void store_strings(decoder *d, bool pointer, const dray_node *node, void *to,
                          const decode_step *at) {
    (void)pointer;
    dray_strings *list = to;
    if (node->kind == DRAY_NODE_NULL) {
        *list = (dray_strings){0};
        return;
    }
    if (node->kind != DRAY_NODE_LIST) {
        mismatch(d, node, at, NULL);
        return;
    }
    *list = (dray_strings){DRAY_NEW_N(d->arena, dray_str, node->list.n + 1), node->list.n};
    for (size_t i = 0; i < list->n; i++) {
        list->v[i] = DRAY_STR("");
        store_string(d, false, &node->list.items[i], &list->v[i], at);
    }
}

static store *const stores[] = {
    [DRAY_SHAPE_STRING] = store_string,
    [DRAY_SHAPE_INT32] = store_int32,
    [DRAY_SHAPE_INT64] = store_int64,
    [DRAY_SHAPE_BOOL] = store_bool,
    [DRAY_SHAPE_QUANTITY] = store_quantity,
    [DRAY_SHAPE_TIME] = store_time,
    [DRAY_SHAPE_MICRO_TIME] = store_micro_time,
    [DRAY_SHAPE_INT_OR_STRING] = store_int_or_string,
    [DRAY_SHAPE_ANY] = store_any,
    [DRAY_SHAPE_BYTES] = store_bytes,
    [DRAY_SHAPE_OBJECT] = NULL, /* decode.c's own */
    [DRAY_SHAPE_STRINGS] = store_strings,
};

void dray_decode_scalar(decoder *d, dray_shape shape, bool pointer, const dray_node *node, void *to,
                        const decode_step *at) {
    stores[shape](d, pointer, node, to, at);
}
