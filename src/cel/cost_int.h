/* Private to cel: the language's own cost rules. */
#ifndef DRAY_CEL_COST_INT_H
#define DRAY_CEL_COST_INT_H

#include "cel/estimate.h"

/* The rule of an overload of the standard library; NULL: it costs 1. */
const dray_cel_cost_rule *dray_cel_cost_base_rule(dray_str overload_id);
/* Does + join two lists, strings or byte strings? */
bool dray_cel_cost_is_concat(const dray_cel_overload *overload);

#endif
