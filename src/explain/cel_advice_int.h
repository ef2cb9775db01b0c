/* Private to advice on CEL: the adviser's state, places of a tree, makers of nodes. */
#ifndef DRAY_EXPLAIN_CEL_ADVICE_INT_H
#define DRAY_EXPLAIN_CEL_ADVICE_INT_H

#include "base/map.h"
#include "base/vec.h"
#include "cel/cel.h"
#include "explain/cel_advice.h"

enum { DRAY_CEL_PLACE_DEPTH = 200, DRAY_CEL_PLACES = 4096, DRAY_CEL_STEPS = 12 };

typedef enum dray_cel_fact_type {
    DRAY_CEL_FACT_OTHER,
    DRAY_CEL_FACT_STRING,
    DRAY_CEL_FACT_INT,
    DRAY_CEL_FACT_BOOL,
    DRAY_CEL_FACT_VERSION,
    DRAY_CEL_FACT_QUANTITY,
} dray_cel_fact_type;

/* An attribute or capacity that devices have. */
typedef struct dray_cel_fact {
    dray_str domain, id;
    bool capacity;
    uint8_t type;
    size_t n; /* devices; 0: known from the table alone */
} dray_cel_fact;

/* One step of a chain: .name, ["name"], .?name, [?"name"]. */
typedef struct dray_cel_step {
    dray_str name;
    bool optional;
} dray_cel_step;
typedef struct dray_cel_chain {
    dray_cel_expr *root; /* an identifier */
    dray_cel_step steps[DRAY_CEL_STEPS];
    size_t n;
} dray_cel_chain;

/* A place of the tree. */
typedef struct dray_cel_spot {
    dray_cel_expr *e;
    dray_cel_expr *condition; /* the nearest one round it that must be a bool */
    bool is_chain;            /* the outermost node of a chain, read into `chain` */
    bool tested;              /* the argument of has() */
    dray_cel_chain chain;
} dray_cel_spot;

struct dray_cel_adviser {
    dray_cel_question q;
    dray_arena *home; /* what lives as long as the adviser */
    DRAY_VEC(dray_cel_fact) facts;
    dray_map by_name; /* "A domain/id" or "C domain/id" → index + 1 */
    dray_map domains; /* of devices and of known drivers */
    dray_cel_env *env;
    dray_celk8s_device **devices;
    size_t n_devices;
    dray_arena *scratch; /* of evaluations */

    /* Of the expression under way. */
    dray_arena *arena;
    dray_str text;
    bool single_quotes;
    dray_str error;   /* of compiling text; absent: it compiles */
    dray_str lacking; /* a key that evaluating missed */
    size_t matched, failed;
    dray_cel_ast *ast;
    DRAY_VEC(dray_cel_spot) spots;
    dray_map locals; /* names of variables of macros */
    dray_str domain; /* that the expression speaks of most likely; absent: none */
    DRAY_VEC(dray_cel_note) notes;
    const char *mistake; /* the row that is tried */
};

/* A row: true when it has changed the tree (or, of TEXT, put the new text into a->text). spot is
 * NULL for TEXT and ROOT. */
typedef bool dray_cel_mistake(dray_cel_adviser *a, dray_cel_spot *spot);

void dray_cel_note_add(dray_cel_adviser *a, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* Does it parse? */
bool dray_cel_advice_parses(dray_cel_adviser *a, dray_str text, dray_cel_ast **ret);

/* Is it right as a selector? */
bool dray_cel_advice_compiles(dray_cel_adviser *a, dray_str text);
void dray_cel_facts_collect(dray_cel_adviser *a);
/* Facts. NULL: there is none. */
const dray_cel_fact *dray_cel_fact_find(const dray_cel_adviser *a, bool capacity, dray_str domain,
                                        dray_str id);
/* A fact with that name in whichever domain is likeliest; *capacity says which map is asked first.
 */
const dray_cel_fact *dray_cel_fact_named(const dray_cel_adviser *a, bool capacity, dray_str id);
/* The nearest name in the domain: other letter case, - or _, an alias, a small edit distance. */
const dray_cel_fact *dray_cel_fact_near(const dray_cel_adviser *a, bool capacity, dray_str domain,
                                        dray_str id);
/* The nearest string that a device has as that attribute; absent where it is one itself, or none is
 * near. */
dray_str dray_cel_value_near(const dray_cel_adviser *a, dray_str domain, dray_str id,
                             dray_str value);
/* The nearest domain; absent: none is near. */
dray_str dray_cel_domain_near(const dray_cel_adviser *a, dray_str domain);
/* The domain to use where nothing says which. */
dray_str dray_cel_domain_likely(const dray_cel_adviser *a);
/* Fewest insertions, removals, changes and swaps of bytes; more than 64 bytes count as far. */
size_t dray_cel_edit_distance(dray_str a, dray_str b);
/* Near enough to be meant? */
bool dray_cel_is_near(dray_str written, dray_str meant);

/* Makers. */
dray_cel_expr *dray_cel_node_text(dray_cel_adviser *a, dray_str s);
dray_cel_expr *dray_cel_node_int(dray_cel_adviser *a, int64_t i);
dray_cel_expr *dray_cel_node_call(dray_cel_adviser *a, const char *function, dray_cel_expr *target,
                                  dray_cel_expr *x, dray_cel_expr *y);
dray_cel_expr *dray_cel_node_copy(dray_cel_adviser *a, const dray_cel_expr *e);
/* device.attributes["domain"].id, with the steps from `rest` on behind it. */
void dray_cel_set_lookup(dray_cel_adviser *a, dray_cel_spot *spot, bool capacity, dray_str domain,
                         dray_str id, size_t rest);
/* device.NAME, with the steps from `rest` on behind it. */
void dray_cel_set_member(dray_cel_adviser *a, dray_cel_spot *spot, const char *member, size_t rest);
bool dray_cel_read_chain(dray_cel_expr *e, dray_cel_chain *ret);
/* device.attributes[domain].id of exactly that length? */
bool dray_cel_is_lookup(const dray_cel_chain *chain, bool *capacity);
static inline bool dray_cel_is_local(const dray_cel_adviser *a, dray_str name) {
    return dray_map_find(&a->locals, name) != NULL;
}

#define MISTAKE(name_, function_, where_) dray_cel_mistake dray_cel_mistake_##function_;
#include "explain/cel_advice.def"
#undef MISTAKE

#endif
