/* Which devices, and which nodes, no group of a trial can tell apart. */
#include "alloc/trial_int.h"

#include "base/map.h"

static dray_key of_values(dray_run *run, dray_key key, uint32_t pos) {
    const dray_alloc_job *job = run->job;
    for (size_t c = 0; c < job->constraints.n; c++) {
        const dray_resource_device_attribute *a = dray_attribute_find(
            dray_view_device(run->view, pos), dray_run_word(run, pos)->slice->pool->driver,
            &job->constraints.v[c]);
        dray_value_set set = a != NULL ? dray_run_values(run, a) : (dray_value_set){0};
        key = dray_key_mix(key, a != NULL ? set.n + 1 : 0);
        for (uint32_t i = 0; i < set.n; i++)
            key = dray_key_mix(key, set.v[i]);
    }
    /* What is worked out from a device may be anything. */
    for (size_t a = 0; a < job->alts.n; a++)
        if (job->alts.v[a].n_derived != 0)
            return dray_key_mix(dray_key_mix(key, pos),
                                dray_str_hash(dray_run_word(run, pos)->slice->pool->name));
    return key;
}

static dray_key of_kinds(dray_run *run, dray_key key, uint32_t pos) {
    const dray_alloc_job *job = run->job;
    size_t n = dray_view_device(run->view, pos)->capacity.n;
    bool multi = dray_run_is_multi(run, pos);
    for (size_t k = 0; k < job->kinds.n; k++) {
        int answer = dray_run_ask(run, job->kinds.v[k], pos);
        key = dray_key_mix(key, answer < 0 ? 2 : (uint64_t)answer);
        const dray_amount *amounts =
            multi && answer > 0 ? dray_run_amounts(run, job->kinds.v[k], pos) : NULL;
        for (size_t c = 0; amounts != NULL && c < n; c++)
            key = dray_key_amount(key, amounts[c]);
    }
    return key;
}

/* A device but for the sets that it draws on. */
static dray_key of_device(dray_run *run, uint32_t pos) {
    const dray_slice *slice = dray_run_word(run, pos)->slice;
    uint32_t device = dray_run_device(run, pos);
    const dray_resource_device *body = dray_view_device(run->view, pos);
    bool multi = dray_run_is_multi(run, pos);
    dray_key key =
        dray_key_mix((dray_key){3, 5}, (uint64_t)dray_bit(slice->in_use, device) * 4 +
                                           (uint64_t)dray_bit(slice->shared, device) * 2 + multi);
    for (size_t c = 0; multi && c < body->capacity.n; c++) {
        key = dray_key_amount(key, dray_run_sharing(run, pos)->left[c]);
        key = dray_key_amount(key, dray_amount_of(body->capacity.v[c].value));
    }
    for (size_t i = 0; i < body->consumes_counters.n; i++) {
        const dray_resource_device_counter_consumption *c = &body->consumes_counters.v[i];
        key = dray_key_mix(key, c->counters.n);
        for (size_t k = 0; k < c->counters.n; k++) {
            key = dray_key_mix(key, dray_str_hash(c->counters.k[k]));
            key = dray_key_amount(key, dray_amount_of(c->counters.v[k].value));
        }
        for (size_t k = 0; k < c->compatibility_groups.n; k++)
            key = dray_key_mix(key, dray_str_hash(c->compatibility_groups.v[k]));
    }
    return of_values(run, of_kinds(run, key, pos), pos);
}

static dray_key of_set(dray_alloc_trial *trial, const dray_part *part) {
    dray_run *run = &trial->run;
    const dray_pool_view *view = run->view->pools[part->pool];
    const dray_pool_state_of_run *state = dray_run_pool(run, part->pool);
    dray_key key = dray_key_mix((dray_key){7, 9}, view->has_vanished);
    for (uint32_t i = 0; i < part->n_counters; i++) {
        const dray_counter *c = &view->counters[part->counters[i]];
        dray_key one = dray_key_amount((dray_key){1, dray_str_hash(c->name)}, c->capacity);
        key = dray_key_add(key, dray_key_amount(one, state->left[part->counters[i]]));
    }
    for (uint32_t i = 0; i < part->n_devices; i++)
        key = dray_key_add(key, trial->keys[part->devices[i]]);
    return key;
}

void dray_trial_make_keys(dray_alloc_trial *trial) {
    dray_run *run = &trial->run;
    uint32_t n = (uint32_t)run->view->n_words * 64;
    if (trial->keys != NULL)
        return;
    trial->keys = DRAY_NEW_N(run->arena, dray_key, n + 1);
    for (uint32_t pos = 0; pos < n; pos++)
        if (dray_trial_is_device(run, pos))
            trial->keys[pos] = of_device(run, pos);
    for (size_t p = 0; p < trial->n_parts; p++)
        if (trial->parts[p].is_set)
            trial->parts[p].key = of_set(trial, &trial->parts[p]);
    for (uint32_t pos = 0; pos < n; pos++)
        for (uint32_t i = 0; i < trial->parts_of[pos].n; i++) {
            const dray_part *part = &trial->parts[trial->parts_of[pos].v[i]];
            if (part->is_set)
                trial->keys[pos] =
                    dray_key_mix(dray_key_mix(trial->keys[pos], part->key.a), part->key.b);
        }
}

dray_alloc_likeness dray_alloc_trial_likeness(dray_alloc_trial *trial) {
    dray_key key = {11, 13};
    dray_trial_make_keys(trial);
    for (uint32_t pos = 0; pos < trial->run.view->n_words * 64; pos++)
        if (dray_trial_is_device(&trial->run, pos))
            key = dray_key_add(key, trial->keys[pos]);
    for (size_t g = 0; g < trial->n_groups; g++)
        key = dray_key_mix(key, trial->groups[g].able);
    return (dray_alloc_likeness){key.a, key.b};
}
