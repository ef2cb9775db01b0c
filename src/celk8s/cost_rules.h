/* What Kubernetes' library functions cost by estimate, as a library without functions.
 *
 *     const dray_cel_library *libs[] = {…, &dray_celk8s_lib_costs};
 */
#ifndef DRAY_CELK8S_COST_RULES_H
#define DRAY_CELK8S_COST_RULES_H

#include "cel/decl.h"

extern const dray_cel_library dray_celk8s_lib_costs;

#endif
