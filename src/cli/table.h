/* Columns of text, as wide as they must be.
 *
 *     dray_table *table = dray_table_new(arena, 3);
 *     dray_table_add(table, (dray_str[]){DRAY_STR("POD"), DRAY_STR("NODE"), DRAY_STR("DEVICES")});
 *     dray_table_print(table, stdout);
 *
 * The last column is not padded. Texts are borrowed until the table is printed.
 */
#ifndef DRAY_CLI_TABLE_H
#define DRAY_CLI_TABLE_H

#include "base/str.h"
#include "base/vec.h"

#include <stdio.h>

enum { DRAY_TABLE_COLUMNS_MAX = 8 };

typedef struct dray_table {
    dray_arena *arena;
    size_t n_columns;
    DRAY_VEC(dray_str) cells;
} dray_table;

dray_table *dray_table_new(dray_arena *arena, size_t n_columns);
/* One row: exactly n_columns texts. Control characters print as `?`. */
void dray_table_add(dray_table *table, const dray_str *cells);
void dray_table_print(const dray_table *table, FILE *out);

#endif
