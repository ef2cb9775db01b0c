/* The libraries of the language and its extensions, as rows; their code stands in fn_*.c and is
 * found by overload id. */
#ifndef DRAY_CEL_LIBS_H
#define DRAY_CEL_LIBS_H

#include "cel/decl.h"

/* The standard library with comparisons between int, uint and double; what only 0.26 has. */
extern const dray_cel_library dray_cel_lib_std, dray_cel_lib_std_026;

extern const dray_cel_library dray_cel_lib_optional, dray_cel_lib_bindings, dray_cel_lib_two_var,
    dray_cel_lib_lists, dray_cel_lib_sets, dray_cel_lib_math, dray_cel_lib_encoders,
    dray_cel_lib_network;

/* charAt … join; version 2 adds format() and quote(), the newest reverse() and another format(). */
extern const dray_cel_library dray_cel_lib_strings_v0, dray_cel_lib_strings_v2,
    dray_cel_lib_strings;

#endif
