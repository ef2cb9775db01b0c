/* Feature gates by release: the rows of gates.def and the rules for switching. */
#include "obj/gates.h"

typedef struct gate_row {
    const char *name;
    const char *cells[DRAY_RELEASE_NEWEST - DRAY_RELEASE_OLDEST + 1];
    const char *needs;
} gate_row;

static const gate_row rows[DRAY_GATE_COUNT] = {
#define GATE(name_, r34, r35, r36, r37, needs_) {#name_, {r34, r35, r36, r37}, needs_},
#include "obj/gates.def"
#undef GATE
};

static const char *cell(dray_gate gate, int release) {
    return rows[gate].cells[release - DRAY_RELEASE_OLDEST];
}

static bool default_of(const char *cell) {
    return cell[0] != '\0' && cell[1] == '1';
}

static bool is_locked(const char *cell) {
    return cell[0] != '\0' && cell[2] == '!';
}

void dray_gates_init(dray_gates *gates, int release) {
    gates->release = release;
    for (int i = 0; i < DRAY_GATE_COUNT; i++)
        gates->on[i] = default_of(cell((dray_gate)i, release));
}

dray_code dray_release_parse(dray_str text, int *ret_release, dray_err *err) {
    for (int minor = DRAY_RELEASE_OLDEST; minor <= DRAY_RELEASE_NEWEST; minor++) {
        char word[8] = {'1', '.', (char)('0' + minor / 10), (char)('0' + minor % 10)};
        if (dray_str_is(text, word)) {
            *ret_release = minor;
            return DRAY_OK;
        }
    }
    return dray_err_set(err, DRAY_E_INVALID,
                        "Kubernetes version \"" DRAY_FMT "\" must be one of 1.%d to 1.%d",
                        DRAY_ARG(text), DRAY_RELEASE_OLDEST, DRAY_RELEASE_NEWEST);
}

int dray_gate_find(dray_str name) {
    for (int i = 0; i < DRAY_GATE_COUNT; i++)
        if (dray_str_is(name, rows[i].name))
            return i;
    return -1;
}

const char *dray_gate_name(dray_gate gate) {
    return rows[gate].name;
}

bool dray_gate_known(dray_gate gate, int release) {
    return cell(gate, release)[0] != '\0';
}

dray_code dray_gates_set(dray_gates *gates, dray_str name, bool on, dray_err *err) {
    int gate = dray_gate_find(name);
    if (gate < 0 || !dray_gate_known((dray_gate)gate, gates->release))
        return dray_err_set(err, DRAY_E_INVALID, "unrecognized feature gate: " DRAY_FMT,
                            DRAY_ARG(name));
    const char *c = cell((dray_gate)gate, gates->release);
    if (is_locked(c) && on != default_of(c))
        return dray_err_set(err, DRAY_E_INVALID,
                            "cannot set feature gate " DRAY_FMT " to %s, feature is locked to %s",
                            DRAY_ARG(name), on ? "true" : "false",
                            default_of(c) ? "true" : "false");
    gates->on[gate] = on;
    return DRAY_OK;
}

/* The gates that `gate` needs in a release: the row's list, or the release's part of it. */
static dray_str needs_of(dray_gate gate, int release) {
    dray_str list = dray_str_of(rows[gate].needs), head, tail;
    if (dray_str_chr(list, '|') == SIZE_MAX)
        return list;
    for (int r = DRAY_RELEASE_OLDEST + 1;; r++) {
        bool more = dray_str_cut(list, '|', &head, &tail);
        if (r == release || !more)
            return head;
        list = tail;
    }
}

static dray_code check_needs(const dray_gates *gates, dray_gate gate, dray_err *err) {
    dray_buf missing = DRAY_BUF_INIT;
    dray_str rest = needs_of(gate, gates->release), one;
    for (bool more = rest.n != 0; more;) {
        more = dray_str_cut(rest, ',', &one, &rest);
        int needed = dray_gate_find(one);
        if (needed >= 0 && !gates->on[needed])
            dray_buf_addf(&missing, "%s" DRAY_FMT, missing.n != 0 ? " " : "", DRAY_ARG(one));
    }
    dray_code code = DRAY_OK;
    if (missing.n != 0)
        code =
            dray_err_set(err, DRAY_E_INVALID,
                         "%s is enabled, but depends on features that are disabled: [" DRAY_FMT "]",
                         rows[gate].name, (int)missing.n, missing.p);
    dray_buf_done(&missing);
    return code;
}

dray_code dray_gates_finish(const dray_gates *gates, dray_err *err) {
    if (gates->release == DRAY_RELEASE_OLDEST)
        return DRAY_OK;
    for (int i = 0; i < DRAY_GATE_COUNT; i++) {
        dray_code code = gates->on[i] ? check_needs(gates, (dray_gate)i, err) : DRAY_OK;
        if (code != DRAY_OK)
            return code;
    }
    return DRAY_OK;
}
