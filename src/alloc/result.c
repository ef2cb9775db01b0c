/* AllocationResults from what was picked. */
#include "alloc/alloc_int.h"

static void fill(dray_run *run, const dray_pick *pick,
                 dray_resource_device_request_allocation_result *to) {
    const dray_alt *alt = &run->job->alts.v[pick->alt];
    const dray_slice *slice = dray_run_word(run, pick->pos)->slice;
    const dray_resource_device *d = dray_view_device(run->view, pick->pos);
    /* It is zero. */
    to->request = alt->full_name;
    to->driver = slice->pool->driver;
    to->pool = slice->pool->name;
    to->device = d->name;
    to->admin_access = (dray_opt_bool){alt->kind->admin, alt->kind->admin};
    to->tolerations.v = (dray_resource_device_toleration *)alt->kind->tolerations;
    to->tolerations.n = alt->kind->n_tolerations;
    if (run->f.variant == DRAY_EXPERIMENTAL)
        to->skip_node_operations = slice->body->spec->skip_node_operations;
    if (run->f.binding) {
        to->binding_conditions = d->binding_conditions;
        to->binding_failure_conditions = d->binding_failure_conditions;
    }
}

/* "share-7" */
static dray_str share_name(uint32_t number, dray_arena *arena) {
    static const char begin[] = "share-";
    enum { BEGIN = sizeof begin - 1, DIGITS = 10 };
    char *text = dray_arena_bytes(arena, BEGIN + DIGITS + 1);
    size_t n = BEGIN;
    memcpy(text, begin, BEGIN);
    for (uint32_t rest = number; rest > 0; rest /= 10)
        n++;
    text[n] = '\0';
    for (size_t i = n; i > BEGIN; number /= 10)
        text[--i] = (char)('0' + number % 10);
    return (dray_str){text, n};
}

static void fill_share(dray_run *run, const dray_pick *pick, uint32_t number,
                       dray_resource_device_request_allocation_result *to) {
    const dray_alloc_options *o = &run->job->options;
    const dray_resource_device *d = dray_view_device(run->view, pick->pos);
    const dray_kindred *kind = run->job->alts.v[pick->alt].kind;
    to->share_id = o->share_id != NULL ? o->share_id(o->share_context, run->arena)
                                       : share_name(number, run->arena);
    to->consumed_capacity.n = d->capacity.n;
    if (d->capacity.n == 0)
        return;
    to->consumed_capacity.k = d->capacity.k;
    to->consumed_capacity.v = DRAY_NEW_N(run->arena, dray_quantity, d->capacity.n);
    for (size_t i = 0; i < d->capacity.n; i++)
        to->consumed_capacity.v[i] =
            dray_capacity_amount(kind->capacity, d, i, run->f.fractional, run->arena);
}

static bool has(const dray_strings *list, dray_str s) {
    for (size_t i = 0; i < list->n; i++) {
        if (dray_str_eq(list->v[i], s))
            return true;
    }
    return false;
}

/* The alternative that stands for a request in the result. */
static const dray_alt *chosen(const dray_run *run, uint32_t request) {
    const dray_request_slot *slot = &run->job->requests.v[request];
    return &run->job->alts.v[slot->first_alt + run->chosen[request]];
}

/* A list names a request by its main name, or by the alternative that was chosen. */
static bool names(const dray_run *run, const dray_strings *list, uint32_t request) {
    return has(list, run->job->requests.v[request].name) ||
           has(list, chosen(run, request)->full_name);
}

typedef DRAY_VEC(dray_resource_device_allocation_configuration) configs;

/* A class gives its configuration once, for all requests of it. */
static void add_class_configs(dray_run *run, const dray_claim_slot *claim, configs *to) {
    for (uint32_t i = 0; i < claim->n_requests; i++) {
        const dray_alt *alt = chosen(run, claim->first_request + i);
        const dray_resource_device_class *class = alt->kind->class;
        if (class->spec->config.n == 0)
            continue;
        bool seen = false;
        dray_strings requests = {DRAY_NEW_N(run->arena, dray_str, claim->n_requests), 0};
        for (uint32_t k = 0; k < claim->n_requests; k++) {
            const dray_alt *other = chosen(run, claim->first_request + k);
            if (!dray_str_eq(other->kind->class->metadata->name, class->metadata->name))
                continue;
            seen |= k < i;
            requests.v[requests.n++] = other->full_name;
        }
        for (size_t k = 0; !seen && k < class->spec->config.n; k++) {
            dray_resource_device_allocation_configuration c = {
                .source = DRAY_STR("FromClass"),
                .requests = requests,
                .device_configuration = class->spec->config.v[k].device_configuration};
            DRAY_PUSH(run->arena, to, c);
        }
    }
}

static void add_claim_configs(dray_run *run, const dray_claim_slot *claim, configs *to) {
    for (size_t i = 0; i < claim->body->spec->devices->config.n; i++) {
        const dray_resource_device_claim_configuration *from =
            &claim->body->spec->devices->config.v[i];
        bool wanted = from->requests.n == 0;
        for (uint32_t k = 0; k < claim->n_requests && !wanted; k++)
            wanted = names(run, &from->requests, claim->first_request + k);
        if (!wanted)
            continue;
        dray_resource_device_allocation_configuration c = {.source = DRAY_STR("FromClaim"),
                                                           .requests = from->requests,
                                                           .device_configuration =
                                                               from->device_configuration};
        DRAY_PUSH(run->arena, to, c);
    }
}

/* What is for every request is for no request in particular. */
static void clear_requests(dray_run *run, const dray_claim_slot *claim, configs *of) {
    for (size_t i = 0; i < of->n; i++) {
        bool all = of->v[i].requests.n > 0;
        for (uint32_t k = 0; k < claim->n_requests && all; k++)
            all = names(run, &of->v[i].requests, claim->first_request + k);
        if (all)
            of->v[i].requests = (dray_strings){0};
    }
}

static bool same_values(const dray_strings *a, const dray_strings *b) {
    for (size_t i = 0; i < a->n; i++) {
        if (!has(b, a->v[i]))
            return false;
    }
    for (size_t i = 0; i < b->n; i++) {
        if (!has(a, b->v[i]))
            return false;
    }
    return true;
}

typedef DRAY_VEC(dray_core_node_selector_requirement) requirements;

static void merge(dray_run *run, const dray_core_node_selector_requirement *from, size_t n,
                  requirements *to) {
    for (size_t i = 0; i < n; i++) {
        bool there = false;
        for (size_t k = 0; k < to->n && !there; k++)
            there = dray_str_eq(to->v[k].key, from[i].key) &&
                    dray_str_eq(to->v[k].operator, from[i].operator) &&
                    same_values(&to->v[k].values, &from[i].values);
        if (!there)
            DRAY_PUSH(run->arena, to, from[i]);
    }
}

typedef struct one_term {
    dray_core_node_selector selector;
    dray_core_node_selector_term term;
} one_term;

static dray_core_node_selector *with_term(one_term *made, const requirements *fields,
                                          const requirements *expressions) {
    made->selector.node_selector_terms.v = &made->term;
    made->selector.node_selector_terms.n = 1;
    made->term.match_fields.v = fields->v;
    made->term.match_fields.n = fields->n;
    made->term.match_expressions.v = expressions->v;
    made->term.match_expressions.n = expressions->n;
    return &made->selector;
}

typedef struct own_node {
    one_term one;
    dray_core_node_selector_requirement is;
    dray_str name;
} own_node;

/* made: zero. */
static dray_core_node_selector *this_node(const dray_run *run, own_node *made) {
    made->name = run->node->name;
    made->is.key = DRAY_STR("metadata.name");
    made->is.operator= DRAY_STR("In");
    made->is.values.v = &made->name;
    made->is.values.n = 1;
    made->one.selector.node_selector_terms.v = &made->one.term;
    made->one.selector.node_selector_terms.n = 1;
    made->one.term.match_fields.v = &made->is;
    made->one.term.match_fields.n = 1;
    return &made->one.selector;
}

/* Where the allocation may be used; *ret NULL: everywhere. False: run->error. */
static bool select_nodes(dray_run *run, const dray_claim_slot *claim, const dray_pick *picks,
                         size_t n, own_node *room, dray_core_node_selector **ret) {
    requirements fields = {0}, expressions = {0};
    for (size_t i = 0; i < n; i++) {
        const dray_slice *slice = dray_run_word(run, picks[i].pos)->slice;
        const dray_resource_device *d = dray_view_device(run->view, picks[i].pos);
        const dray_resource_slice_spec *spec = slice->body->spec;
        bool local = slice->by_device ? d->node_name.p != NULL : spec->node_name.p != NULL;
        const dray_core_node_selector *s =
            slice->by_device ? d->node_selector : spec->node_selector;
        if (local || (d->binds_to_node.v && run->f.variant != DRAY_STABLE)) {
            *ret = room != NULL ? this_node(run, room) : NULL;
            return true;
        }
        if (s == NULL || s->node_selector_terms.n == 0)
            continue;
        if (s->node_selector_terms.n > 1) {
            run->error = dray_strf(run->arena,
                                   "create NodeSelector for claim " DRAY_FMT
                                   ": unsupported ResourceSlice.NodeSelector with %zu terms",
                                   DRAY_ARG(claim->body->metadata->name), s->node_selector_terms.n);
            return false;
        }
        const dray_core_node_selector_term *term = &s->node_selector_terms.v[0];
        merge(run, term->match_fields.v, term->match_fields.n, &fields);
        merge(run, term->match_expressions.v, term->match_expressions.n, &expressions);
    }
    *ret = fields.n + expressions.n > 0
               ? with_term(DRAY_NEW(run->arena, one_term), &fields, &expressions)
               : NULL;
    return true;
}

/* What a claim gets, but for lists of any length. */
typedef struct outcome_of_claim {
    dray_resource_device_allocation_result devices;
    own_node node;
} outcome_of_claim;

static void fill_devices(dray_run *run, const dray_claim_slot *claim, const dray_pick *picks,
                         size_t n, uint32_t *shares, dray_resource_device_allocation_result *to) {
    for (size_t i = 0; i < n; i++) {
        fill(run, &picks[i], &to->results.v[i]);
        if (dray_run_is_multi(run, picks[i].pos))
            fill_share(run, &picks[i], ++*shares, &to->results.v[i]);
    }
    configs found = {0};
    add_class_configs(run, claim, &found);
    add_claim_configs(run, claim, &found);
    clear_requests(run, claim, &found);
    to->config.v = found.v;
    to->config.n = found.n;
}

static bool results(dray_run *run, dray_resource_device_request_allocation_result *devices,
                    outcome_of_claim *outcomes, dray_resource_allocation_result *to) {
    const dray_alloc_job *job = run->job;
    uint32_t shares = 0;
    const dray_pick *picks = run->picks;
    for (size_t c = 0; c < job->n_claims; c++) {
        size_t n = run->claim_picks[c];
        outcome_of_claim *o = outcomes != NULL ? &outcomes[c] : NULL;
        dray_core_node_selector *nodes;
        if (o != NULL) {
            o->devices.results.v = devices;
            o->devices.results.n = n;
            fill_devices(run, &job->claims[c], picks, n, &shares, &o->devices);
            to[c].devices = &o->devices;
            devices += n;
        }
        if (!select_nodes(run, &job->claims[c], picks, n, o != NULL ? &o->node : NULL, &nodes))
            return false;
        if (o != NULL)
            to[c].node_selector = nodes;
        picks += n;
    }
    return true;
}

bool dray_run_results(dray_run *run, dray_alloc_outcome *ret) {
    const dray_alloc_job *job = run->job;
    size_t choice_bytes = (job->requests.n + 1) * sizeof(uint32_t);
    if (!job->options.results) {
        uint32_t *choice = dray_arena_alloc(run->arena, choice_bytes);
        memcpy(choice, run->chosen, job->requests.n * sizeof *choice);
        ret->chosen = choice;
        return results(run, NULL, NULL, NULL);
    }
    /* In one piece; a claim has 32 devices at most. */
    dray_resource_allocation_result *made = dray_arena_alloc(
        run->arena, job->n_claims * (sizeof *made + sizeof(outcome_of_claim)) +
                        run->n_picks * sizeof(dray_resource_device_request_allocation_result) +
                        choice_bytes);
    outcome_of_claim *outcomes = (outcome_of_claim *)(made + job->n_claims);
    dray_resource_device_request_allocation_result *devices =
        (dray_resource_device_request_allocation_result *)(outcomes + job->n_claims);
    uint32_t *choice = (uint32_t *)(devices + run->n_picks);
    memcpy(choice, run->chosen, job->requests.n * sizeof *choice);
    if (!results(run, devices, outcomes, made))
        return false;
    ret->chosen = choice;
    ret->allocations = made;
    return true;
}
