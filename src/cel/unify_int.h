/* Private to cel: assignability of types with free variables. */
#ifndef DRAY_CEL_UNIFY_INT_H
#define DRAY_CEL_UNIFY_INT_H

#include "base/vec.h"
#include "cel/decl.h"

#define DRAY_CEL_UNIFY_STEPS 20000000 /* most steps of one check: only types built to explode */

/* A type parameter of a declaration that no overload owns: bound by its name. */
typedef struct dray_cel_named_var {
    dray_str name;
    const dray_cel_type *bound;
} dray_cel_named_var;

typedef struct dray_cel_unifier {
    dray_arena *arena;
    DRAY_VEC(const dray_cel_type *) bound; /* by var - 1; NULL: free */
    DRAY_VEC(dray_cel_named_var) named;
    DRAY_VEC(struct dray_cel_undo {
        uint32_t slot; /* of bound, or of named with the top bit set */
        const dray_cel_type *old;
    })
    trail;
    struct dray_cel_settled { /* open hash table by `from`; filled once nothing is bound any more */
        const dray_cel_type *from, *to;
    } *settled;
    uint32_t n_settled, room_settled; /* room: a power of two, or 0 */
    uint64_t steps;
    bool exhausted; /* steps or a type's size ran out: answers mean nothing any more */
} dray_cel_unifier;

/* n fresh variables, numbered from the result + 1 on. */
uint32_t dray_cel_unify_fresh(dray_cel_unifier *u, uint32_t n);
const dray_cel_type *dray_cel_unify_var(dray_cel_unifier *u);
/* An overload's type with its own variables 1, 2, … as base + 1, base + 2, … */
const dray_cel_type *dray_cel_unify_instance(dray_cel_unifier *u, const dray_cel_type *type,
                                             uint32_t base);

/* Can a `from` stand where a `to` is wanted (or both meet)? On success variables are bound so that
 * they do; on failure nothing changes. */
bool dray_cel_unify(dray_cel_unifier *u, const dray_cel_type *a, const dray_cel_type *b);
bool dray_cel_unify_all(dray_cel_unifier *u, const dray_cel_type *const *a,
                        const dray_cel_type *const *b, size_t n);
/* The less specific of two that unify. */
const dray_cel_type *dray_cel_unify_general(const dray_cel_type *a, const dray_cel_type *b);
/* With variables replaced by what they are bound to; free ones become dyn when asked for. */
const dray_cel_type *dray_cel_unify_resolve(dray_cel_unifier *u, const dray_cel_type *type,
                                            bool to_dyn);

/* The last step: variables replaced, free ones by dyn, each type once. Binds must be over. */
const dray_cel_type *dray_cel_unify_settle(dray_cel_unifier *u, const dray_cel_type *type);

#endif
