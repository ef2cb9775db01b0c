/* Private to celk8s: environments by release, mode and gates. */
#ifndef DRAY_CELK8S_ENV_INT_H
#define DRAY_CELK8S_ENV_INT_H

#include "celk8s/libs_int.h"
#include "obj/gates.h"

/* What an environment depends on. */
typedef struct dray_celk8s_key {
    uint8_t release;     /* 34 … 37 */
    bool new_expression; /* what an API server accepts, one release behind; else all there ever was
                          */
    bool consumable;     /* DRAConsumableCapacity */
    bool lists;          /* DRAListTypeAttributes */
} dray_celk8s_key;

/* One number per key, below DRAY_CELK8S_ENVS. */
enum { DRAY_CELK8S_ENVS = 32 };
static inline unsigned dray_celk8s_key_index(dray_celk8s_key key) {
    return (unsigned)(key.release - DRAY_RELEASE_OLDEST) * 8 + key.new_expression * 4u +
           key.consumable * 2u + key.lists;
}

/* Is an attribute's type dyn? Else it is any. */
bool dray_celk8s_attribute_is_dyn(dray_celk8s_key key);

dray_code dray_celk8s_env_new(dray_arena *arena, dray_celk8s_key key, dray_cel_env **ret,
                              dray_err *err);

#endif
