/* What if nodes came and went: how many are needed, and which can be done without. */
#include "cli/whatif.h"

#include "api/engine.h"
#include "cli/drain.h"
#include "cli/table.h"

/* --- reading the flags --- */

static int read_patterns(dray_whatif *what) {
    const struct dray_flag_values *flags = dray_args_all(what->args, "add-nodes");
    int status = DRAY_EXIT_OK;
    if (flags->n > DRAY_WHATIF_PATTERNS_MAX) {
        fprintf(stderr, "dray plan: --add-nodes is given more than %d times\n",
                DRAY_WHATIF_PATTERNS_MAX);
        return DRAY_EXIT_USAGE;
    }
    for (size_t i = 0; i < flags->n && status == DRAY_EXIT_OK; i++)
        status = dray_nodes_read_pattern(what->objects, flags->v[i],
                                         &what->patterns[what->n_patterns++]);
    return status;
}

static bool has_node(const dray_objects *objects, const char *name) {
    for (size_t i = 0; i < objects->list.n; i++)
        if (objects->list.v[i].object.kind->type == &dray_type_core_node &&
            dray_str_is(dray_object_meta(objects->list.v[i].object)->name, name))
            return true;
    return false;
}

/* A node that fails asks nobody; one that is drained has to wait. */
static void tell_obstacles(const dray_whatif *what) {
    const dray_objects *objects = what->objects;
    dray_drain drain;
    dray_drain_init(&drain, objects, what->arena);
    for (size_t i = 0; i < objects->list.n && what->removed.n != 0; i++) {
        const dray_object *o = &objects->list.v[i].object;
        const dray_core_pod *pod = o->kind->type == &dray_type_core_pod ? o->body : NULL;
        if (pod == NULL || !dray_drain_moves(pod) || dray_nodes_controller(pod) == NULL ||
            dray_map_find(&what->removed, pod->spec->node_name) == NULL)
            continue;
        dray_str why = dray_drain_obstacle(&drain, pod);
        if (why.p != NULL)
            fprintf(stderr, "dray plan: node " DRAY_FMT " couldn't be drained: " DRAY_FMT "\n",
                    DRAY_ARG(pod->spec->node_name), DRAY_ARG(why));
    }
}

int dray_whatif_read(dray_whatif *what, const dray_args *args, dray_objects *objects) {
    *what = (dray_whatif){.args = args, .objects = objects, .arena = args->arena};
    what->removed = dray_map_new(what->arena);
    int status = read_patterns(what);
    const struct dray_flag_values *removed = dray_args_all(args, "remove-nodes");
    for (size_t i = 0; i < removed->n && status == DRAY_EXIT_OK; i++) {
        bool automatic = strcmp(removed->v[i], "auto") == 0 && !has_node(objects, "auto");
        what->remove |= automatic;
        if (!automatic)
            status = dray_nodes_read_names(objects, removed->v[i], &what->removed);
    }
    if (status == DRAY_EXIT_OK)
        tell_obstacles(what);
    return status;
}

/* --- trials --- */

typedef struct trial {
    size_t counts[DRAY_WHATIF_PATTERNS_MAX]; /* copies of each pattern */
    const dray_map *removed;                 /* beside those that were given; NULL: none */
} trial;

static void be_silent(void *context, const char *word, const char *file, uint32_t line,
                      uint32_t column, const char *text) {
}

static int change(dray_whatif *what, const trial *t, bool tell) {
    int status = DRAY_EXIT_OK;
    dray_nodes_remove(what->objects, &what->removed, tell);
    if (t->removed != NULL)
        dray_nodes_remove(what->objects, t->removed, tell);
    for (size_t i = 0; i < what->n_patterns && status == DRAY_EXIT_OK; i++)
        status = dray_nodes_add(what->objects, &what->patterns[i], t->counts[i]);
    return status;
}

/* Names of Pods that stay pending, in what->arena; objects are as before afterwards. False: a copy
 * has the name of a node that is there (told). */
static bool run_trial(dray_whatif *what, const trial *t, dray_whatif_placed *ret) {
    dray_objects *objects = what->objects;
    dray_objects kept = *objects;
    dray_input input = *objects->input;
    dray_arena_mark mark = dray_arena_save(objects->arena);
    if (what->progress)
        fprintf(stderr, "\r\033[Kdray plan: trial %zu", what->trials + 1);
    what->trials++;
    objects->input->tell = be_silent;
    bool ok = change(what, t, false) == DRAY_EXIT_OK;
    if (ok)
        *ret = what->place(what->context, objects, what->arena);
    objects->list.v = kept.list.v;
    objects->list.n = kept.list.n;
    objects->list.room = kept.list.room;
    objects->added.v = kept.added.v;
    objects->added.n = kept.added.n;
    objects->added.room = kept.added.room;
    *objects->input = input;
    dray_arena_release(objects->arena, mark);
    if (what->progress)
        fputs("\r\033[K", stderr);
    return ok;
}

static dray_map names_of(const dray_whatif *what, dray_strings list) {
    dray_map map = dray_map_new(what->arena);
    for (size_t i = 0; i < list.n; i++)
        dray_map_put(&map, list.v[i], &list.v[i]);
    return map;
}

/* How many of `of` are in list; *ret_first the first of list that is, or isn't, among them. */
static size_t count_in(dray_strings list, const dray_map *of, bool in, dray_str *ret_first) {
    size_t n = 0;
    for (size_t i = 0; i < list.n; i++) {
        if ((dray_map_find(of, list.v[i]) != NULL) != in)
            continue;
        if (n++ == 0 && ret_first != NULL)
            *ret_first = list.v[i];
    }
    return n;
}

/* --- how many nodes --- */

typedef struct search {
    dray_whatif *what;
    dray_map names; /* of the Pods that want to be placed */
    trial now;
    size_t pending; /* of them, with `now` */
    bool failed;
} search;

/* How many of the Pods stay pending with so many copies. */
static size_t pending_with(search *s, const trial *t, dray_str *ret_first) {
    dray_whatif_placed placed = {0};
    if (s->failed || !run_trial(s->what, t, &placed)) {
        s->failed = true;
        return 0;
    }
    return count_in(placed.pending, &s->names, true, ret_first);
}

/* More and more of all kinds, until nobody is pending, or there is one for each Pod: also for those
 * that found a node before, which may like a new one better. */
static void grow(search *s) {
    dray_whatif *what = s->what;
    size_t most =
        what->before.n_pods < DRAY_NODES_ADDED_MAX ? what->before.n_pods : DRAY_NODES_ADDED_MAX;
    for (size_t n = 1; s->pending != 0 && !s->failed; n = n * 2 < most ? n * 2 : most) {
        trial t = s->now;
        for (size_t i = 0; i < what->n_patterns; i++)
            t.counts[i] = what->patterns[i].automatic ? n : t.counts[i];
        size_t pending = pending_with(s, &t, NULL);
        if (pending < s->pending) {
            s->now = t;
            s->pending = pending;
        }
        if (n == most)
            break;
    }
}

/* As few of one kind as do beside the others. */
static void shrink(search *s, size_t i) {
    size_t fails = SIZE_MAX, works = s->now.counts[i];
    dray_str first = DRAY_STR_NONE;
    while (works != 0 && fails + 1 < works + (fails == SIZE_MAX) && !s->failed) {
        trial t = s->now;
        size_t low = fails == SIZE_MAX ? 0 : fails + 1;
        t.counts[i] = low + (works - low) / 2;
        if (pending_with(s, &t, &first) <= s->pending) {
            works = t.counts[i];
        } else {
            fails = t.counts[i];
            s->what->last = first;
        }
    }
    s->now.counts[i] = works;
}

static bool find_counts(dray_whatif *what, trial *t) {
    search s = {.what = what, .now = *t, .names = names_of(what, what->before.pending)};
    s.pending = s.names.n;
    grow(&s);
    for (size_t i = 0; i < what->n_patterns; i++)
        if (what->patterns[i].automatic)
            shrink(&s, i);
    *t = s.now;
    return !s.failed;
}

/* --- which nodes --- */

/* What a node is but for its name. */
static uint64_t shape_of_node(const dray_core_node *node, dray_arena *arena) {
    dray_core_node *copy = dray_api_copy(&dray_type_core_node, node, arena);
    dray_string_map *labels = &copy->metadata->labels;
    for (size_t i = 0; i < labels->n; i++)
        if (dray_str_eq(labels->v[i], node->metadata->name))
            labels->v[i] = DRAY_STR("");
    copy->metadata = dray_api_new(&dray_type_meta_object_meta, arena);
    copy->metadata->labels = *labels;
    copy->status->conditions.n = 0;
    copy->status->addresses.n = 0;
    copy->status->node_info = dray_api_new(&dray_type_core_node_system_info, arena);
    dray_buf text = DRAY_BUF_INIT;
    dray_api_encode_type(&text, &dray_type_core_node, copy);
    uint64_t shape = dray_str_hash(dray_buf_str(&text));
    dray_buf_done(&text);
    return shape;
}

static uint64_t shape_of_slice(const dray_resource_slice *slice, dray_arena *arena) {
    dray_resource_slice_spec *copy =
        dray_api_copy(&dray_type_resource_slice_spec, slice->spec, arena);
    copy->node_name = DRAY_STR_NONE;
    copy->pool->name = DRAY_STR("");
    dray_buf text = DRAY_BUF_INIT;
    dray_api_encode_type(&text, &dray_type_resource_slice_spec, copy);
    uint64_t shape = dray_str_hash(dray_buf_str(&text));
    dray_buf_done(&text);
    return shape;
}

static void add_shapes(dray_whatif *what, const dray_map *number) {
    const dray_objects *objects = what->objects;
    DRAY_CLEANUP_ARENA dray_arena *arena = dray_arena_new(0);
    for (size_t i = 0; i < objects->list.n; i++) {
        const dray_object *o = &objects->list.v[i].object;
        const dray_resource_slice *slice =
            o->kind->type == &dray_type_resource_slice ? o->body : NULL;
        bool node = o->kind->type == &dray_type_core_node;
        dray_str name = slice != NULL ? slice->spec->node_name : dray_object_meta(*o)->name;
        size_t at = slice != NULL || node ? (size_t)dray_map_find(number, name) : 0;
        if (at != 0)
            what->nodes.v[at - 1].shape +=
                node ? shape_of_node(o->body, arena) : shape_of_slice(slice, arena);
        dray_arena_reset(arena);
    }
}

static int by_load(const void *a, const void *b, void *context) {
    const dray_whatif_node *x = a, *y = b;
    if (x->moving != y->moving)
        return x->moving < y->moving ? -1 : 1;
    return dray_str_cmp(x->name, y->name);
}

static void list_nodes(dray_whatif *what) {
    const dray_objects *objects = what->objects;
    dray_drain drain;
    dray_map number = dray_map_new(what->arena);
    dray_drain_init(&drain, objects, what->arena);
    for (size_t i = 0; i < objects->list.n; i++) {
        const dray_loaded *loaded = &objects->list.v[i];
        dray_str name = dray_object_meta(loaded->object)->name;
        if (loaded->object.kind->type != &dray_type_core_node ||
            dray_map_find(&what->removed, name) != NULL)
            continue;
        dray_whatif_node made = {.name = name,
                                 .why = dray_drain_node_obstacle(loaded->object.body)};
        DRAY_PUSH(what->arena, &what->nodes, made);
        dray_map_put(&number, name, (void *)what->nodes.n);
    }
    for (size_t i = 0; i < objects->list.n; i++) {
        const dray_loaded *loaded = &objects->list.v[i];
        const dray_core_pod *pod =
            loaded->object.kind->type == &dray_type_core_pod ? loaded->object.body : NULL;
        size_t at = pod != NULL && dray_drain_moves(pod)
                        ? (size_t)dray_map_find(&number, pod->spec->node_name)
                        : 0;
        if (at == 0)
            continue;
        dray_whatif_node *node = &what->nodes.v[at - 1];
        node->moving++;
        if (node->why.p == NULL)
            node->why = dray_drain_obstacle(&drain, pod);
    }
    add_shapes(what, &number);
    for (size_t i = 0; i < what->nodes.n; i++)
        if (what->nodes.v[i].moving != 0)
            what->nodes.v[i].shape = 0;
    dray_sort(what->nodes.v, what->nodes.n, sizeof *what->nodes.v, by_load, NULL);
}

/* Those that are alike stand together: they go, or stay, in one trial. */
static int by_shape(const void *a, const void *b, void *context) {
    const dray_whatif_node *x = *(dray_whatif_node *const *)a, *y = *(dray_whatif_node *const *)b;
    if (x->moving == y->moving && x->shape != y->shape)
        return x->shape < y->shape ? -1 : 1;
    return by_load(x, y, context);
}

typedef struct removal {
    dray_whatif *what;
    trial now;
    dray_map pending;                          /* who may stay so */
    dray_map gone;                             /* nodes */
    DRAY_VEC(const dray_whatif_node *) needed; /* empty ones, of a shape each */
} removal;

/* An empty node that has been found needed: others like it are too, since ever fewer are left. */
static const dray_whatif_node *needed_like(const removal *r, const dray_whatif_node *node) {
    for (size_t i = 0; i < r->needed.n && node->shape != 0; i++)
        if (r->needed.v[i]->shape == node->shape)
            return r->needed.v[i];
    return NULL;
}

/* Whether the nodes from first to end may go beside those that have gone. */
static bool may_go(removal *r, dray_whatif_node *const *nodes, size_t first, size_t end,
                   dray_str *ret_pod) {
    dray_map names = dray_map_new(r->what->arena);
    for (size_t i = 0; i < r->gone.n; i++)
        dray_map_put(&names, r->gone.entries[i].key, r);
    for (size_t i = first; i < end; i++)
        dray_map_put(&names, nodes[i]->name, r);
    trial t = r->now;
    t.removed = &names;
    dray_whatif_placed placed = {0};
    return run_trial(r->what, &t, &placed) &&
           count_in(placed.pending, &r->pending, false, ret_pod) == 0;
}

static void keep_node(removal *r, dray_whatif_node *node, bool tried, dray_str pod) {
    const dray_whatif_node *like = needed_like(r, node);
    dray_arena *arena = r->what->arena;
    if (like != NULL)
        node->why = dray_strf(arena, "as " DRAY_FMT, DRAY_ARG(like->name));
    else if (!tried)
        node->why = dray_strf(arena, "not tried: that would take more than %d trials",
                              DRAY_WHATIF_TRIALS_MAX);
    else
        node->why = dray_strf(arena, "Pod " DRAY_FMT " would stay pending", DRAY_ARG(pod));
    if (like == NULL && tried && node->shape != 0)
        DRAY_PUSH(arena, &r->needed, node);
}

/* All at once where that may be; else one half after the other. */
static void remove_some(removal *r, dray_whatif_node *const *nodes, size_t n) {
    struct {
        size_t first, end;
    } open[64] = {{0, n}};
    for (size_t depth = n != 0; depth != 0;) {
        size_t first = open[--depth].first, end = open[depth].end;
        dray_str pod = DRAY_STR_NONE;
        bool tried = r->what->trials < DRAY_WHATIF_TRIALS_MAX, needed = false;
        for (size_t i = first; i < end; i++)
            needed |= needed_like(r, nodes[i]) != NULL;
        if (tried && !needed && may_go(r, nodes, first, end, &pod)) {
            for (size_t i = first; i < end; i++)
                dray_map_put(&r->gone, nodes[i]->name, r);
        } else if (end - first == 1) {
            keep_node(r, nodes[first], tried, pod);
        } else {
            size_t middle = first + (end - first) / 2;
            open[depth].first = middle;
            open[depth++].end = end;
            open[depth].first = first;
            open[depth++].end = middle;
        }
    }
}

static void find_removable(dray_whatif *what, const trial *t) {
    removal r = {.what = what,
                 .now = *t,
                 .pending = names_of(what, what->before.pending),
                 .gone = dray_map_new(what->arena)};
    list_nodes(what);
    dray_whatif_node **free = DRAY_NEW_N(what->arena, dray_whatif_node *, what->nodes.n + 1);
    size_t n = 0;
    for (size_t i = 0; i < what->nodes.n; i++)
        if (what->nodes.v[i].why.p == NULL)
            free[n++] = &what->nodes.v[i];
    dray_sort(free, n, sizeof *free, by_shape, NULL);
    remove_some(&r, free, n);
    for (size_t i = 0; i < r.gone.n; i++)
        dray_map_put(&what->removed, r.gone.entries[i].key, what);
}

/* --- both --- */

int dray_whatif_settle(dray_whatif *what, dray_whatif_place *place, void *context) {
    trial t = {0};
    bool automatic = false;
    what->place = place;
    what->context = context;
    for (size_t i = 0; i < what->n_patterns; i++) {
        t.counts[i] = what->patterns[i].automatic ? 0 : what->patterns[i].n;
        automatic |= what->patterns[i].automatic;
    }
    if ((automatic || what->remove) && !run_trial(what, &t, &what->before))
        return DRAY_EXIT_USAGE;
    if (automatic && !find_counts(what, &t))
        return DRAY_EXIT_USAGE;
    if (automatic && what->remove && !run_trial(what, &t, &what->before))
        return DRAY_EXIT_USAGE;
    if (what->remove)
        find_removable(what, &t);
    for (size_t i = 0; i < what->n_patterns; i++)
        what->patterns[i].n = t.counts[i];
    return change(what, &t, !what->remove);
}

static void print_added(const dray_whatif *what, FILE *to) {
    size_t sum = 0;
    bool automatic = false;
    for (size_t i = 0; i < what->n_patterns; i++) {
        const dray_node_pattern *p = &what->patterns[i];
        if (!p->automatic)
            continue;
        fprintf(to, "%s%zu more like " DRAY_FMT, automatic ? ", " : "\nneeded: ", p->n,
                DRAY_ARG(p->node));
        automatic = true;
        sum += p->n;
    }
    if (!automatic)
        return;
    if (sum == 0 && what->before.pending.n != 0)
        fputs("; no number of them helps a Pod that is pending", to);
    else if (sum == 0)
        fputs("; nothing is pending", to);
    else if (what->last.p != NULL)
        fprintf(to, "; with one node less Pod " DRAY_FMT " stays pending", DRAY_ARG(what->last));
    fputc('\n', to);
}

static void print_removable(const dray_whatif *what, bool wide, FILE *to) {
    size_t n = 0;
    for (size_t i = 0; i < what->nodes.n; i++)
        n += what->nodes.v[i].why.p == NULL;
    fprintf(to, "\ncan go: %zu of %zu nodes%s\n", n, what->nodes.n, n != 0 || wide ? ":" : "");
    dray_table *table = dray_table_new(what->arena, 3);
    for (int stays = 0; stays <= wide; stays++)
        for (size_t i = 0; i < what->nodes.n; i++) {
            const dray_whatif_node *node = &what->nodes.v[i];
            if ((node->why.p != NULL) != (stays != 0))
                continue;
            dray_str text = stays ? node->why
                                  : dray_strf(what->arena, "%zu Pod%s", node->moving,
                                              node->moving == 1 ? " moves" : "s move");
            dray_table_add(table, (dray_str[]){node->name,
                                               stays ? DRAY_STR("stays") : DRAY_STR("goes"), text});
        }
    dray_table_print(table, to);
}

void dray_whatif_print(const dray_whatif *what, bool wide, FILE *to) {
    print_added(what, to);
    if (what->remove)
        print_removable(what, wide, to);
}
