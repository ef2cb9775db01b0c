/* Which devices are alike, and what of a state matters: hashes that don't change when like devices,
 * or whole cards with their partitions, are swapped. */
#include "alloc/prove_int.h"
#include "base/map.h"

static dray_key of_str(dray_key key, dray_str s) {
    return dray_key_mix(key, dray_str_hash(s));
}

static bool one_member(const dray_resource_device_attribute *a) {
    return a->int_.set + a->bool_.set + (a->string.p != NULL) + (a->version.p != NULL) == 1;
}

/* Every value once, with the devices that have it. Numbers are dense over the run. */
/* Counted, then filled in: a value's devices stand behind each other. */
static void list_devices(dray_proof *proof, dray_constraint_values *v) {
    uint32_t *at = v->first = DRAY_NEW_N(proof->arena, uint32_t, v->n + 2);
    for (uint32_t i = 0; i < proof->m; i++) {
        for (uint32_t k = 0; k < v->of[i].n; k++)
            at[v->place[v->of[i].v[k]] + 1]++;
        v->single &= v->of[i].n <= 1;
        if (v->of[i].n > 0)
            v->have[i / 64] |= (uint64_t)1 << i % 64;
    }
    for (size_t k = 2; k < v->n + 2; k++)
        at[k] += at[k - 1];
    v->devices = DRAY_NEW_N(proof->arena, uint32_t, at[v->n + 1] + 1);
    for (uint32_t i = 0; i < proof->m; i++) {
        for (uint32_t k = 0; k < v->of[i].n; k++)
            v->devices[at[v->place[v->of[i].v[k]]]++] = i;
    }
}

static void list_values(dray_proof *proof, dray_constraint_values *v) {
    uint32_t end = 0;
    for (uint32_t i = 0; i < proof->m; i++)
        end = v->of[i].n > 0 && v->of[i].v[v->of[i].n - 1] >= end ? v->of[i].v[v->of[i].n - 1] + 1
                                                                  : end;
    v->place = DRAY_NEW_N(proof->arena, uint32_t, end + 1);
    v->n_places = end;
    for (uint32_t i = 0; i < proof->m; i++) {
        for (uint32_t k = 0; k < v->of[i].n; k++)
            v->place[v->of[i].v[k]] = 1;
    }
    for (uint32_t value = 0; value < end; value++)
        v->n += v->place[value];
    v->numbers = DRAY_NEW_N(proof->arena, uint32_t, v->n + 1);
    for (uint32_t value = 0, at = 0; value < end; value++) {
        if (v->place[value] == 0)
            continue;
        v->numbers[at] = value;
        v->place[value] = ++at;
    }
    list_devices(proof, v);
}

static bool is_derived(const dray_alloc_job *job, const dray_constraint *constraint) {
    for (size_t a = 0; a < job->alts.n; a++) {
        for (size_t i = 0; i < job->alts.v[a].n_derived; i++) {
            if (dray_str_eq(job->alts.v[a].derived[i].name, constraint->attribute))
                return true;
        }
    }
    return false;
}

/* What has been found for an earlier constraint of the attribute. */
static const dray_constraint_values *same_attribute(const dray_proof *proof, size_t constraint) {
    const dray_constraint *v = proof->run->job->constraints.v;
    for (size_t c = 0; c < constraint; c++) {
        if (dray_str_eq(v[c].attribute, v[constraint].attribute))
            return &proof->values[c];
    }
    return NULL;
}

static void find_values(dray_proof *proof) {
    dray_run *run = proof->run;
    const dray_alloc_job *job = run->job;
    proof->values = DRAY_NEW_N(proof->arena, dray_constraint_values, job->constraints.n + 1);
    for (size_t c = 0; c < job->constraints.n; c++) {
        dray_constraint_values *v = &proof->values[c];
        const dray_constraint *constraint = &job->constraints.v[c];
        const dray_constraint_values *same = same_attribute(proof, c);
        if (same != NULL) {
            *v = *same;
            continue;
        }
        v->single = true;
        v->usable = !is_derived(job, constraint);
        v->of = DRAY_NEW_N(proof->arena, dray_value_set, proof->m + 1);
        v->have = DRAY_NEW_N(proof->arena, uint64_t, proof->words);
        for (uint32_t i = 0; i < proof->m; i++) {
            const dray_resource_device_attribute *a = dray_attribute_find(
                dray_view_device(run->view, proof->pos[i]),
                dray_run_word(run, proof->pos[i])->slice->pool->driver, constraint);
            if (a == NULL)
                continue;
            v->usable &= run->f.lists || one_member(a);
            v->of[i] = dray_run_values(run, a);
        }
        if (v->usable)
            list_values(proof, v);
    }
}

/* What a device is but for its counters: answers to the kindreds, values, sharing. */
static dray_key describe(dray_proof *proof, uint32_t i) {
    dray_run *run = proof->run;
    const dray_alloc_job *job = run->job;
    uint32_t pos = proof->pos[i];
    const dray_slice *slice = dray_run_word(run, pos)->slice;
    uint32_t device = dray_run_device(run, pos);
    dray_key key = {1, 2};
    for (size_t k = 0; k < job->kinds.n; k++)
        key = dray_key_mix(key, (uint64_t)dray_bit(proof->kind_bits[k], i) * 2 +
                                    dray_bit(run->findings[k].failing, pos));
    key = dray_key_mix(key, (uint64_t)dray_bit(slice->in_use, device) * 4 +
                                dray_bit(slice->shared, device) * 2 + dray_bit(proof->multi, i));
    /* Of components of a value each is as good as the other. */
    for (size_t c = 0; c < job->constraints.n; c++) {
        if (proof->by_value)
            key = dray_key_mix(key, proof->values[c].of[i].n);
        else
            key = proof->values[c].usable ? dray_key_values(key, proof->values[c].of[i])
                                          : dray_key_mix(key, i);
    }
    if (!dray_bit(proof->multi, i))
        return key;
    size_t n = dray_view_device(run->view, pos)->capacity.n;
    for (size_t c = 0; c < n; c++)
        key = dray_key_amount(key, dray_run_sharing(run, pos)->left[c]);
    for (size_t k = 0; k < job->kinds.n; k++) {
        const dray_amount *amounts = dray_bit(run->findings[k].usable, pos)
                                         ? dray_run_amounts(run, job->kinds.v[k], pos)
                                         : NULL;
        for (size_t c = 0; amounts != NULL && c < n; c++)
            key = dray_key_amount(key, amounts[c]);
    }
    return key;
}

static dray_key of_groups(dray_key key, const dray_resource_device *d) {
    for (size_t i = 0; i < d->consumes_counters.n; i++) {
        const dray_resource_device_counter_consumption *c = &d->consumes_counters.v[i];
        for (size_t g = 0; g < c->compatibility_groups.n; g++)
            key = of_str(dray_key_mix(key, g), c->compatibility_groups.v[g]);
    }
    return key;
}

/* The set that a device draws from; absent where it draws from several, or nothing. */
static dray_str only_set(const dray_resource_device *d) {
    dray_str set =
        d->consumes_counters.n > 0 ? d->consumes_counters.v[0].counter_set : DRAY_STR_NONE;
    for (size_t i = 1; i < d->consumes_counters.n; i++) {
        if (!dray_str_eq(d->consumes_counters.v[i].counter_set, set))
            return DRAY_STR_NONE;
    }
    return set;
}

static dray_component *component_of(dray_proof *proof, uint32_t pool, dray_str set) {
    for (size_t i = 0; i < proof->n_components; i++) {
        if (proof->components[i].pool == pool && dray_str_eq(proof->components[i].set, set))
            return &proof->components[i];
    }
    dray_component *c = &proof->components[proof->n_components++];
    const dray_pool_view *view = proof->run->view->pools[pool];
    *c = (dray_component){.pool = pool, .set = set};
    c->counters = DRAY_NEW_N(proof->arena, uint32_t, view->n_counters + 1);
    c->devices = DRAY_NEW_N(proof->arena, uint32_t, proof->m);
    for (uint32_t k = 0; k < view->n_counters; k++) {
        if (dray_str_eq(view->counters[k].set, set))
            c->counters[c->n_counters++] = k;
    }
    return c;
}

/* Whether values may be renamed: they are all of one attribute, and equality is all that is asked.
 */
static bool is_by_value(const dray_proof *proof) {
    const dray_alloc_job *job = proof->run->job;
    for (size_t c = 0; c < job->constraints.n; c++) {
        if (!proof->values[c].usable ||
            !dray_str_eq(job->constraints.v[c].attribute, job->constraints.v[0].attribute))
            return false;
    }
    for (uint32_t i = 0; i < proof->m; i++) {
        if (dray_bit(proof->draws, i) || (job->constraints.n > 0 && proof->values[0].of[i].n > 1))
            return false;
    }
    return job->constraints.n > 0;
}

static void find_value_components(dray_proof *proof) {
    const dray_constraint_values *values = &proof->values[0];
    proof->components = DRAY_NEW_N(proof->arena, dray_component, values->n + 1);
    for (size_t v = 0; v < values->n; v++) {
        dray_component *c = &proof->components[proof->n_components++];
        *c = (dray_component){.of_value = true, .value = values->numbers[v]};
        c->devices = &values->devices[values->first[v]];
        c->n_devices = values->first[v + 1] - values->first[v];
        for (size_t k = 0; k < c->n_devices; k++)
            proof->component_of[c->devices[k]] = (int32_t)v;
    }
}

static void find_components(dray_proof *proof) {
    dray_run *run = proof->run;
    proof->pool_is_mixed = DRAY_NEW_N(proof->arena, bool, run->view->n_pools + 1);
    proof->component_of = DRAY_NEW_N(proof->arena, int32_t, proof->m + 1);
    size_t drawing = 0;
    for (uint32_t i = 0; i < proof->m; i++) {
        proof->component_of[i] = -1;
        if (!dray_bit(proof->draws, i))
            continue;
        drawing++;
        if (only_set(dray_view_device(run->view, proof->pos[i])).p == NULL)
            proof->pool_is_mixed[dray_run_word(run, proof->pos[i])->pool] = true;
    }
    proof->by_value = is_by_value(proof);
    if (proof->by_value) {
        find_value_components(proof);
        return;
    }
    size_t sets = 0;
    for (uint32_t p = 0; p < run->view->n_pools; p++)
        sets += run->view->pools[p]->n_counters;
    proof->components =
        DRAY_NEW_N(proof->arena, dray_component, (drawing < sets ? drawing : sets) + 1);
    for (uint32_t i = 0; i < proof->m; i++) {
        uint32_t pool = dray_run_word(run, proof->pos[i])->pool;
        dray_str set = only_set(dray_view_device(run->view, proof->pos[i]));
        if (!dray_bit(proof->draws, i) || proof->pool_is_mixed[pool] || set.p == NULL ||
            proof->n_components == sets)
            continue;
        dray_component *c = component_of(proof, pool, set);
        c->devices[c->n_devices++] = i;
        proof->component_of[i] = (int32_t)(c - proof->components);
    }
}

/* Draws by counter name alone inside a component, else by the very counter. */
static dray_key of_draws(const dray_proof *proof, dray_key key, uint32_t i) {
    const dray_run *run = proof->run;
    uint32_t pool = dray_run_word(run, proof->pos[i])->pool;
    const dray_pool_view *view = run->view->pools[pool];
    bool inside = proof->component_of[i] >= 0;
    dray_draws draws = dray_proof_draws(proof, i);
    key = dray_key_mix(key, inside ? 0 : pool + (uint64_t)1);
    for (size_t k = 0; k < draws.n; k++) {
        key = inside ? of_str(key, view->counters[draws.v[k].counter].name)
                     : dray_key_mix(key, draws.v[k].counter);
        key = dray_key_amount(key, draws.v[k].amount);
    }
    return run->f.groups ? of_groups(key, dray_view_device(run->view, proof->pos[i])) : key;
}

static void find_types(dray_proof *proof) {
    for (size_t c = 0; c < proof->n_components; c++) {
        dray_component *component = &proof->components[c];
        const dray_pool_view *view = proof->run->view->pools[component->pool];
        const dray_pool_state_of_run *state = dray_run_pool(proof->run, component->pool);
        dray_key type = {3, 4}, sum = {0, 0};
        for (size_t k = 0; k < component->n_counters; k++) {
            uint32_t counter = component->counters[k];
            type =
                dray_key_amount(of_str(type, view->counters[counter].name), state->left[counter]);
        }
        for (size_t k = 0; k < component->n_devices; k++)
            sum = dray_key_add(sum, proof->class_of[component->devices[k]]);
        component->type = dray_key_mix(dray_key_mix(type, sum.a), sum.b);
        /* Groups that are held already make a component its own kind. */
        if (proof->run->f.groups && !component->of_value)
            component->type = dray_key_mix(component->type, c);
    }
}

/* Names of counters, and families of names: memory slots of a card, say, that all have the same
 * capacities, so that their sum says something. */
static void find_counter_names(dray_proof *proof) {
    const dray_view *view = proof->run->view;
    dray_map seen = dray_map_new(proof->arena);
    proof->counter_name_of = DRAY_NEW_N(proof->arena, uint32_t *, view->n_pools + 1);
    proof->ends_set = DRAY_NEW_N(proof->arena, bool *, view->n_pools + 1);
    size_t most = 0;
    for (size_t p = 0; p < view->n_pools; p++)
        most += view->pools[p]->n_counters;
    dray_key *capacities = DRAY_NEW_N(proof->arena, dray_key, most + 1);
    for (size_t p = 0; p < view->n_pools; p++) {
        const dray_pool_view *pool = view->pools[p];
        proof->counter_name_of[p] = DRAY_NEW_N(proof->arena, uint32_t, pool->n_counters + 1);
        proof->ends_set[p] = DRAY_NEW_N(proof->arena, bool, pool->n_counters + 1);
        for (size_t k = 0; k < pool->n_counters; k++) {
            proof->ends_set[p][k] = k + 1 == pool->n_counters ||
                                    !dray_str_eq(pool->counters[k].set, pool->counters[k + 1].set);
            (void)dray_map_entry_of(&seen, pool->counters[k].name);
            uint32_t name = (uint32_t)dray_map_index(&seen, pool->counters[k].name);
            proof->counter_name_of[p][k] = name;
            dray_key one = of_str(dray_key_mix((dray_key){13, 14}, p), pool->counters[k].set);
            capacities[name] =
                dray_key_add(capacities[name], dray_key_amount(one, pool->counters[k].capacity));
        }
    }
    proof->n_counter_names = seen.n;
    proof->counter_family = DRAY_NEW_N(proof->arena, int32_t, seen.n + 1);
    for (size_t i = 0; i < seen.n; i++)
        proof->counter_family[i] = -1;
    for (size_t i = 0; i < seen.n; i++) {
        bool has_others = false;
        for (size_t k = i + 1; k < seen.n && proof->counter_family[i] < 0; k++)
            has_others |= dray_key_equal(capacities[i], capacities[k]);
        for (size_t k = i; k < seen.n && has_others; k++) {
            if (dray_key_equal(capacities[i], capacities[k]))
                proof->counter_family[k] = (int32_t)proof->n_counter_families;
        }
        proof->n_counter_families += has_others;
    }
}

static bool is_plain(const dray_proof *proof) {
    const dray_alloc_job *job = proof->run->job;
    bool plain = true;
    for (size_t w = 0; w < proof->words; w++)
        plain &= (proof->draws[w] | proof->multi[w]) == 0;
    for (size_t c = 0; c < job->constraints.n; c++)
        plain &=
            !job->constraints.v[c].distinct && proof->values[c].usable && proof->values[c].single;
    return plain;
}

void dray_proof_classify(dray_proof *proof) {
    find_values(proof);
    proof->is_plain = is_plain(proof);
    find_components(proof);
    find_counter_names(proof);
    proof->class_of = DRAY_NEW_N(proof->arena, dray_key, proof->m + 1);
    for (uint32_t i = 0; i < proof->m; i++) {
        proof->class_of[i] = describe(proof, i);
        if (dray_bit(proof->draws, i))
            proof->class_of[i] = of_draws(proof, proof->class_of[i], i);
    }
    find_types(proof);
    for (uint32_t i = 0; i < proof->m; i++) {
        if (proof->component_of[i] >= 0) {
            dray_key type = proof->components[proof->component_of[i]].type;
            proof->class_of[i] = dray_key_mix(dray_key_mix(proof->class_of[i], type.a), type.b);
        }
    }
}
