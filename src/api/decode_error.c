/* What Go says of a value of the wrong type: its path of fields, its struct, its type.
 * Source: Go's encoding/json (UnmarshalTypeError), reflect's names of types. */
#include "api/decode_int.h"

#include "base/vec.h"

enum {
    MAX_STEPS = 256,
    EMBEDDED_NAMES_SINCE = 35, /* the Go of 1.34 leaves inlined objects out of its errors */
};

const char *dray_decode_go_word(const dray_node *node) {
    static const char *const texts[] = {"null", "bool", "number", "string", "array", "object"};
    return texts[node->kind];
}

static const char *last_word(const char *name) {
    const char *dot = strrchr(name, '.');
    return dot != NULL ? dot + 1 : name;
}

static size_t group_n(const dray_type *type) {
    return strcspn(type->name, ".");
}

/* Whether both types stand in one package: betas share the tables of v1. */
static bool is_same_group(const dray_type *a, const dray_type *b) {
    return group_n(a) == group_n(b) && strncmp(a->name, b->name, group_n(a)) == 0;
}

/* "v1", "v1beta1": the last part of the package that the type's Go name has. */
static dray_str package_of(const decoder *d, const dray_type *type) {
    if (d->version != NULL && is_same_group(type, d->root))
        return dray_str_of(d->version);
    const char *version = type->name + group_n(type) + 1;
    return dray_str_n(version, strcspn(version, "."));
}

static void add_type_name(dray_buf *out, const decoder *d, const dray_type *type) {
    dray_buf_addf(out, DRAY_FMT ".%s", DRAY_ARG(package_of(d, type)), last_word(type->name));
}

/* A name as tables write it: where it or a part of it begins with a dot, the package goes there. */
static void add_go_type(dray_buf *out, const decoder *d, const dray_type *owner, const char *text) {
    for (const char *p = text; *p != '\0'; p++) {
        if (*p == '.' && (p == text || p[-1] == ']' || p[-1] == '['))
            dray_buf_str_add(out, package_of(d, owner));
        dray_buf_putc(out, *p);
    }
}

static const char *const scalars[] = {
    [DRAY_SHAPE_STRING] = "string",
    [DRAY_SHAPE_INT32] = "int32",
    [DRAY_SHAPE_INT64] = "int64",
    [DRAY_SHAPE_BOOL] = "bool",
    [DRAY_SHAPE_QUANTITY] = "resource.Quantity",
    [DRAY_SHAPE_TIME] = "v1.Time",
    [DRAY_SHAPE_MICRO_TIME] = "v1.MicroTime",
    [DRAY_SHAPE_INT_OR_STRING] = "intstr.IntOrString",
    [DRAY_SHAPE_ANY] = "runtime.RawExtension",
    [DRAY_SHAPE_BYTES] = "[]uint8",
    [DRAY_SHAPE_OBJECT] = "",
    [DRAY_SHAPE_STRINGS] = "[]string",
};

/* Behind "[]" or "map[…]"; the text itself when it is neither. */
static const char *element_of(const char *go_type) {
    const char *end =
        *go_type == '[' || strncmp(go_type, "map[", 4) == 0 ? strchr(go_type, ']') : NULL;
    return end != NULL ? end + 1 : go_type;
}

/* The type of a field, or of what its list or map holds. */
static void add_field_type(dray_buf *out, const decoder *d, const dray_type *owner,
                           const dray_field *f, bool element) {
    if (f->go_type != NULL) {
        add_go_type(out, d, owner, element ? element_of(f->go_type) : f->go_type);
        return;
    }
    if (!element && f->container != DRAY_ONE)
        dray_buf_puts(out, f->container == DRAY_LIST ? "[]" : "map[string]");
    if (f->ref != NULL)
        add_type_name(out, d, f->ref);
    else
        dray_buf_puts(out, scalars[f->shape]);
}

static void add_type_of(dray_buf *out, const decoder *d, const decode_step *at) {
    const decode_step *field = at;
    while (field != NULL && field->owner == NULL)
        field = field->parent;
    if (field == NULL)
        add_type_name(out, d, d->root);
    else if (field->field == NULL)
        dray_buf_puts(out, "string"); /* apiVersion, kind */
    else
        add_field_type(out, d, field->owner, field->field, field != at);
}

/* Struct.path.of.fields: no indices, no keys, inlined objects by the name of their type. Returns
 * the struct. */
static const char *add_go_path(dray_buf *out, const decode_step *at, int release) {
    bool embedded = release == 0 || release >= EMBEDDED_NAMES_SINCE;
    const decode_step *steps[MAX_STEPS];
    size_t n = 0;
    for (; at != NULL && n < DRAY_COUNT(steps); at = at->parent)
        if (at->owner != NULL)
            steps[n++] = at;
    const char *owner = n > 0 ? last_word(steps[0]->owner->name) : NULL;
    while (n > 0) {
        const decode_step *s = steps[--n];
        if (s->through != NULL && embedded)
            dray_buf_addf(out, ".%s", last_word(s->through->name));
        dray_buf_addf(out, "." DRAY_FMT, DRAY_ARG(s->name));
    }
    return owner;
}

void dray_decode_mismatch(decoder *d, const decode_step *at, const char *value, dray_str number,
                          const char *go_type) {
    if (d->failed || d->ended != DRAY_OK)
        return;
    d->failed = true;
    DRAY_CLEANUP_BUF dray_buf text = DRAY_BUF_INIT;
    DRAY_CLEANUP_BUF dray_buf path = DRAY_BUF_INIT;
    const char *owner = add_go_path(&path, at, d->release);
    dray_buf_addf(&text, "json: cannot unmarshal %s%s" DRAY_FMT " into Go ", value,
                  number.n != 0 ? " " : "", DRAY_ARG(number));
    if (owner != NULL)
        dray_buf_addf(&text, "struct field %s%s of type ", owner, dray_buf_cstr(&path));
    else
        dray_buf_puts(&text, "value of type ");
    if (go_type != NULL)
        dray_buf_puts(&text, go_type);
    else
        add_type_of(&text, d, at);
    dray_err_set(d->err, DRAY_E_INVALID, "%s", dray_buf_cstr(&text));
}
