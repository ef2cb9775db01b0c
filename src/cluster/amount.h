/* Amounts: quantities as whole numbers of 10⁻⁹, so that a search can add and take back exactly.
 *
 *     dray_amount left = dray_amount_of(capacity->value) - dray_amount_of(consumed);
 *
 * Kubernetes keeps nothing finer than nano. What is past ±DRAY_AMOUNT_MAX (about 1.3 × 10²⁷ units,
 * a hundred million times what int64 holds) counts as that. Plain values.
 */
#ifndef DRAY_CLUSTER_AMOUNT_H
#define DRAY_CLUSTER_AMOUNT_H

#include "obj/quantity.h"

__extension__ typedef __int128 dray_amount;

#define DRAY_AMOUNT_MAX ((dray_amount)1 << 120)

dray_amount dray_amount_of(dray_quantity quantity);

#endif
