/* The tables of defaulting functions: a row a type that has one.
 *
 *     static void default_container(void *body, const dray_defaults *d) { … }
 *     const dray_default_hook dray_default_hooks_core[] = {{&dray_type_core_container,
 *                                                           default_container}, …};
 *
 * default.c walks an object from the top: a struct's rows first, in the order of the table, then
 * field by field its schema defaults and what lies below (the order of upstream's generated
 * SetObjectDefaults_…). So a row may look down, and what it sees there has no defaults yet.
 */
#ifndef DRAY_API_DEFAULT_INT_H
#define DRAY_API_DEFAULT_INT_H

#include "api/engine.h"

typedef struct dray_default_hook {
    const dray_type *type;
    void (*apply)(void *body, const dray_defaults *d); /* body: a struct of the type */
} dray_default_hook;

/* default/resource.c, default/core.c */
extern const dray_default_hook dray_default_hooks_resource[];
extern const size_t dray_n_default_hooks_resource;
extern const dray_default_hook dray_default_hooks_core[];
extern const size_t dray_n_default_hooks_core;

#endif
