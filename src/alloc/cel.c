/* What the allocator asks of CEL. */
#include "alloc/cel_int.h"
#include "api/engine.h"
#include "cel/eval.h"
#include "celk8s/celk8s.h"

#include <stdlib.h>

static const char hint[] = ". consider using CEL optional chaining (.? followed by orValue()) or "
                           "guarding the check with has() for optional fields";

enum { KEPT_MAX = 1024 }; /* converted devices, about 5 KiB each */

/* A device that was asked before: of which content, and converted once another job asks. */
typedef struct kept_device {
    uint64_t content, job; /* the content's id, 0: free; the first job that asked */
    uint32_t device;
    bool hide_sharing;
    dray_celk8s_device *made; /* NULL: of one job's interest so far */
} kept_device;

struct dray_alloc_cel {
    dray_gates gates;
    dray_celk8s *k;
    bool shared;         /* somebody else frees k */
    dray_arena *devices; /* the variable `device` of one evaluation */
    dray_arena *scratch;
    kept_device *kept;     /* by content and device; a later one may take the place */
    dray_arena *kept_home; /* of what is converted, with copies of the devices */
    size_t n_made;         /* in kept_home */
    uint64_t job;
};

struct dray_selector {
    const dray_celk8s_program *program;
    dray_str error;
};

dray_alloc_cel *dray_alloc_cel_open(const dray_gates *gates, dray_celk8s *shared) {
    dray_alloc_cel *cel = dray_calloc(1, sizeof *cel);
    cel->gates = *gates;
    cel->shared = shared != NULL;
    cel->k = shared != NULL ? shared : dray_celk8s_new(NULL);
    cel->devices = dray_arena_new(0);
    cel->scratch = dray_cel_scratch_new();
    cel->kept = dray_calloc(KEPT_MAX, sizeof *cel->kept);
    cel->kept_home = dray_arena_new(0);
    return cel;
}

void dray_alloc_cel_close(dray_alloc_cel *cel) {
    dray_arena_free(cel->kept_home);
    free(cel->kept);
    dray_arena_free(cel->scratch);
    dray_arena_free(cel->devices);
    if (!cel->shared)
        dray_celk8s_free(cel->k);
    free(cel);
}

void dray_alloc_cel_begin(dray_alloc_cel *cel) {
    cel->job++;
}

dray_selector *dray_selector_compile(dray_alloc_cel *cel, dray_str expression, bool derives,
                                     dray_arena *arena) {
    dray_selector *selector = DRAY_NEW(arena, dray_selector);
    dray_err err = DRAY_ERR_INIT;
    if (dray_celk8s_compile(cel->k, expression,
                            derives ? DRAY_CELK8S_DERIVED : DRAY_CELK8S_SELECTOR, false,
                            &cel->gates, &selector->program, &err) != DRAY_OK)
        selector->error = dray_str_dup(arena, dray_str_of(dray_err_text(&err)));
    dray_err_done(&err);
    return selector;
}

dray_str dray_selector_error(const dray_selector *selector) {
    return selector->error;
}

static dray_celk8s_device *device_of(dray_alloc_cel *cel, const dray_slice *slice, uint32_t device,
                                     bool hide_sharing, dray_selector *const *selectors, size_t n) {
    const dray_resource_device *body = &slice->body->spec->devices.v[device];
    if (hide_sharing && body->allow_multiple_allocations.set) {
        dray_resource_device *plain = DRAY_NEW(cel->devices, dray_resource_device);
        *plain = *body;
        plain->allow_multiple_allocations = (dray_opt_bool){0};
        body = plain;
    }
    const dray_celk8s_program **programs =
        DRAY_NEW_N(cel->devices, const dray_celk8s_program *, n + 1);
    for (size_t i = 0; i < n; i++)
        programs[i] = selectors[i]->program;
    return dray_celk8s_device_new_for(cel->devices, slice->pool->driver, body, programs, n);
}

/* Conversion costs more than most evaluations. A device that a second job asks of is converted
 * whole, for any selector, from a copy: slices come and go. NULL: it is not kept. */
static dray_celk8s_device *kept_of(dray_alloc_cel *cel, const dray_slice *slice, uint32_t device,
                                   bool hide_sharing) {
    if (slice->content == NULL)
        return NULL;
    uint64_t content = slice->content->id;
    kept_device *k = &cel->kept[(content * 0x9e3779b97f4a7c15u + device) % KEPT_MAX];
    if (k->content != content || k->device != device || k->hide_sharing != hide_sharing) {
        *k = (kept_device){content, cel->job, device, hide_sharing, NULL};
        return NULL;
    }
    if (k->made != NULL || k->job == cel->job)
        return k->made;
    if (cel->n_made == KEPT_MAX) {
        memset(cel->kept, 0, KEPT_MAX * sizeof *cel->kept);
        dray_arena_reset(cel->kept_home);
        cel->n_made = 0;
        return NULL;
    }
    dray_resource_device *own = dray_api_copy(
        &dray_type_resource_device, &slice->body->spec->devices.v[device], cel->kept_home);
    if (hide_sharing)
        own->allow_multiple_allocations = (dray_opt_bool){0};
    dray_str driver = dray_str_dup(cel->kept_home, slice->pool->driver);
    k->made = dray_celk8s_device_new(cel->kept_home, driver, own);
    cel->n_made++;
    return k->made;
}

static dray_str with_hint(dray_str error, dray_arena *arena) {
    bool missing = dray_str_find(error, DRAY_STR("no such key:")) != SIZE_MAX;
    return dray_strf(arena, DRAY_FMT "%s", DRAY_ARG(error), missing ? hint : "");
}

int dray_selectors_ask(dray_alloc_cel *cel, dray_selector *const *selectors, size_t n,
                       const dray_slice *slice, uint32_t device, bool hide_sharing,
                       size_t *ret_failing, uint64_t *ret_cost, dray_arena *arena,
                       dray_str *ret_error) {
    *ret_cost = 0;
    dray_celk8s_device *d = kept_of(cel, slice, device, hide_sharing);
    if (d == NULL)
        d = device_of(cel, slice, device, hide_sharing, selectors, n);
    int answer = 1;
    for (size_t i = 0; i < n && answer == 1; i++) {
        dray_celk8s_result result = {0};
        *ret_failing = i;
        if (selectors[i]->program == NULL) {
            answer = -1;
            continue;
        }
        switch (dray_celk8s_match(selectors[i]->program, d, cel->scratch, &result)) {
        case DRAY_CELK8S_TRUE:
            break;
        case DRAY_CELK8S_FALSE:
            answer = 0;
            break;
        case DRAY_CELK8S_ERROR:
            answer = -1;
            if (ret_error != NULL)
                *ret_error = with_hint(result.error, arena);
        }
        *ret_cost += result.cost;
    }
    dray_arena_reset(cel->devices);
    return answer;
}

bool dray_selector_derive(dray_alloc_cel *cel, dray_selector *selector, const dray_slice *slice,
                          uint32_t device, dray_arena *arena, dray_resource_device_attribute *ret,
                          dray_str *error) {
    dray_celk8s_device *d = device_of(cel, slice, device, false, &selector, 1);
    dray_celk8s_result result = {0};
    dray_resource_device_attribute value = {0};
    bool fine = dray_celk8s_derive(selector->program, d, cel->scratch, &value, &result);
    if (fine)
        dray_api_copy_into(&dray_type_resource_device_attribute, ret, &value, arena);
    else
        *error = dray_str_dup(arena, result.error);
    dray_arena_reset(cel->devices);
    return fine;
}
