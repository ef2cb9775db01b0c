/* Kubernetes' use of CEL: selectors of devices.
 *
 *     dray_celk8s *k = dray_celk8s_new(zones);
 *     const dray_celk8s_program *p;
 *     if (dray_celk8s_compile(k, text, DRAY_CELK8S_SELECTOR, false, &gates, &p, &err) != DRAY_OK)
 *         … dray_err_text(&err) is "compilation failed: ERROR: <input>:1:8: …"
 *     dray_celk8s_device *d = dray_celk8s_device_new(arena, driver, device);
 *     dray_celk8s_result r;
 *     switch (dray_celk8s_match(p, d, scratch, &r)) { case DRAY_CELK8S_TRUE: … }
 *     dray_celk8s_free(k);
 *
 * A handle keeps environments by (release, mode, gates) and programs by text: a program lives as
 * long as its handle. Source: dynamic-resource-allocation/cel, apiserver/pkg/cel.
 * Thread rule: compiling changes the handle, which has one owner; matching only reads program and
 * device and may run on several threads, each with its own scratch arena.
 */
#ifndef DRAY_CELK8S_CELK8S_H
#define DRAY_CELK8S_CELK8S_H

#include "api/strategy.h"
#include "cel/clock.h"
#include "cel/value.h"

typedef struct dray_celk8s dray_celk8s;
typedef struct dray_celk8s_program dray_celk8s_program;
typedef struct dray_celk8s_device dray_celk8s_device;

typedef enum dray_celk8s_use {
    DRAY_CELK8S_SELECTOR, /* must give bool */
    DRAY_CELK8S_DERIVED,  /* an attribute's value: request.derivedAttributes */
    DRAY_CELK8S_ANY,      /* what people try out: a result of any type */
} dray_celk8s_use;

/* Most programs that a handle keeps; past it all are dropped before the next is compiled, so a
 * caller with more must not hold on to old ones across a compile. */
enum { DRAY_CELK8S_PROGRAMS = 20000 };

/* zones (may be NULL: only UTC and fixed offsets) must outlive the handle. Freed by _free. */
dray_celk8s *dray_celk8s_new(const dray_cel_zones *zones);
void dray_celk8s_free(dray_celk8s *k);

/* Compiles for the gates' release. new_expression: what an API server accepts on create and
 * update; else everything that stored objects may hold, as the scheduler reads them. The same text
 * gives the same program again. DRAY_E_INVALID with the bare error: "compilation failed: …",
 * "must evaluate to bool or the unknown type, not int", "program instantiation failed: …". */
dray_code dray_celk8s_compile(dray_celk8s *k, dray_str expression, dray_celk8s_use use,
                              bool new_expression, const dray_gates *gates,
                              const dray_celk8s_program **ret, dray_err *err);
/* The environment in which stored selectors are compiled, for reading their text. Lives as long as
 * the handle; NULL where it can't be made. */
struct dray_cel_env;
const struct dray_cel_env *dray_celk8s_env(dray_celk8s *k, const dray_gates *gates);
/* Drops all programs, for measuring: those handed out are gone. */
void dray_celk8s_forget(dray_celk8s *k);
/* The estimate of the cost; UINT64_MAX: unbounded. Computed when first asked for. */
uint64_t dray_celk8s_max_cost(const dray_celk8s_program *program);
/* The result's type, "bool", "dyn", "any". Lives as long as the program. */
dray_str dray_celk8s_type(const dray_celk8s_program *program);

/* The checked tree. Lives as long as the program. */
struct dray_cel_ast;
const struct dray_cel_ast *dray_celk8s_ast(const dray_celk8s_program *program);

/* A device as the variable `device`, in arena; driver and device are borrowed for as long. What is
 * wrong with an attribute (no value, no semantic version) is the error of each match. */
dray_celk8s_device *dray_celk8s_device_new(dray_arena *arena, dray_str driver,
                                           const dray_resource_device *device);

/* The same for these programs alone: what none of them reads is left out. */
dray_celk8s_device *dray_celk8s_device_new_for(dray_arena *arena, dray_str driver,
                                               const dray_resource_device *device,
                                               const dray_celk8s_program *const *programs,
                                               size_t n);

typedef enum dray_celk8s_answer {
    DRAY_CELK8S_FALSE,
    DRAY_CELK8S_TRUE,
    DRAY_CELK8S_ERROR,
} dray_celk8s_answer;

typedef struct dray_celk8s_result {
    dray_str error; /* ERROR: the bare text, in scratch */
    bool began;     /* evaluation began: cost says something */
    uint64_t cost;  /* what it has cost, after an error what had been spent */
    uint64_t work;  /* and what it has done besides: see DRAY_CEL_EVAL_WORK */
} dray_celk8s_result;

/* One evaluation under the run-time limit of 1,000,000. scratch is emptied first (give it a limit
 * of DRAY_CEL_EVAL_BYTES): on success nothing that the caller sees is left in it. */
dray_celk8s_answer dray_celk8s_match(const dray_celk8s_program *program,
                                     const dray_celk8s_device *device, dray_arena *scratch,
                                     dray_celk8s_result *ret);
/* The same without looking at the result's type: the value, in scratch or borrowed from program and
 * device; an error has kind DRAY_CEL_ERROR and its text in ret. */
dray_cel_value dray_celk8s_value(const dray_celk8s_program *program,
                                 const dray_celk8s_device *device, dray_arena *scratch,
                                 dray_celk8s_result *ret);
/* The value of a derived attribute in *value, whose strings live in scratch. False: an error. */
bool dray_celk8s_derive(const dray_celk8s_program *program, const dray_celk8s_device *device,
                        dray_arena *scratch, dray_resource_device_attribute *value,
                        dray_celk8s_result *ret);

/* What selectors see as device.attributes[domain].id: domain and id of a qualified name. */
void dray_celk8s_split_name(dray_str name, dray_str driver, dray_str *domain, dray_str *id);

/* What validation asks: the table for dray_request.cel; k must outlive it. */
dray_cel_functions dray_celk8s_cel_functions(dray_celk8s *k);

#endif
