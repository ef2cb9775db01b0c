/* Cost rules of cel-go's extension libraries, as a library without functions.
 *
 *     const dray_cel_library *libs[] = {…, &dray_cel_lib_extension_costs};
 */
#ifndef DRAY_CEL_COST_RULES_H
#define DRAY_CEL_COST_RULES_H

#include "cel/decl.h"

/* lists (version 3) and sets. */
extern const dray_cel_library dray_cel_lib_extension_costs;

#endif
