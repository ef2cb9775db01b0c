/* Columns of text. */
#include "cli/table.h"

#include "base/utf8.h"

enum { GAP = 3 };

dray_table *dray_table_new(dray_arena *arena, size_t n_columns) {
    dray_table *table = DRAY_NEW(arena, dray_table);
    table->arena = arena;
    table->n_columns = n_columns;
    return table;
}

void dray_table_add(dray_table *table, const dray_str *cells) {
    for (size_t i = 0; i < table->n_columns; i++)
        DRAY_PUSH(table->arena, &table->cells, cells[i]);
}

static void print_cell(dray_str cell, FILE *out) {
    for (size_t i = 0; i < cell.n; i++)
        fputc((unsigned char)cell.p[i] < ' ' ? '?' : cell.p[i], out);
}

void dray_table_print(const dray_table *table, FILE *out) {
    size_t width[DRAY_TABLE_COLUMNS_MAX] = {0}, n = table->n_columns;
    for (size_t i = 0; i < table->cells.n; i++) {
        size_t have = dray_utf8_count(table->cells.v[i]);
        width[i % n] = have > width[i % n] ? have : width[i % n];
    }
    for (size_t i = 0; i < table->cells.n; i++) {
        dray_str cell = table->cells.v[i];
        print_cell(cell, out);
        if (i % n == n - 1)
            fputc('\n', out);
        else
            fprintf(out, "%*s", (int)(width[i % n] - dray_utf8_count(cell) + GAP), "");
    }
}
