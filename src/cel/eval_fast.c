/* Nodes for what loops spend their turns on: arithmetic of ints, and a list that grows by one. */
#include "cel/eval_int.h"

/* False: the operator has something to say about it (an overflow). */
static inline bool compute(uint8_t operator, int64_t a, int64_t b, dray_cel_value *ret) {
    int64_t i;
    switch (operator) {
    case DRAY_CEL_O_ADD:
        if (__builtin_add_overflow(a, b, &i))
            return false;
        break;
    case DRAY_CEL_O_SUBTRACT:
        if (__builtin_sub_overflow(a, b, &i))
            return false;
        break;
    case DRAY_CEL_O_MULTIPLY:
        if (__builtin_mul_overflow(a, b, &i))
            return false;
        break;
    case DRAY_CEL_O_LESS:
        *ret = dray_cel_of_bool(a < b);
        return true;
    case DRAY_CEL_O_LESS_EQUAL:
        *ret = dray_cel_of_bool(a <= b);
        return true;
    case DRAY_CEL_O_GREATER:
        *ret = dray_cel_of_bool(a > b);
        return true;
    case DRAY_CEL_O_GREATER_EQUAL:
        *ret = dray_cel_of_bool(a >= b);
        return true;
    default:
        return false;
    }
    *ret = dray_cel_of_int(i);
    return true;
}

dray_cel_value dray_cel_eval_ints(const dray_cel_node *node, dray_cel_eval *e) {
    const dray_cel_call_node *call = (const dray_cel_call_node *)node;
    dray_cel_value args[2], v;
    args[0] = call->args[0]->eval(call->args[0], e);
    args[1] = call->args[1]->eval(call->args[1], e);
    if (args[0].kind != DRAY_CEL_INT || args[1].kind != DRAY_CEL_INT ||
        !compute(call->operator, args[0].i, args[1].i, &v))
        return dray_cel_eval_called(call, e, args);
    dray_cel_charge_units(e, 1);
    return v;
}

/* accumulator + [item], which map() and filter() do: no list of one is made. */
dray_cel_value dray_cel_eval_push(const dray_cel_node *node, dray_cel_eval *e) {
    const dray_cel_call_node *call = (const dray_cel_call_node *)node;
    const dray_cel_list_node *one = (const dray_cel_list_node *)call->args[1];
    dray_cel_value list = call->args[0]->eval(call->args[0], e);
    dray_cel_value item = one->v[0]->eval(one->v[0], e);
    if (dray_cel_is_unwritten(item))
        item = dray_cel_eval_written(e, item);
    dray_cel_charge_units(e, DRAY_CEL_LIST_COST);
    if (__builtin_expect(e->stopped, 0))
        return dray_cel_no_overload;
    if (list.kind != DRAY_CEL_LIST || item.kind == DRAY_CEL_ERROR ||
        (list.list->v == NULL && list.list->n > 0)) {
        dray_cel_value args[2] = {list, item};
        if (item.kind != DRAY_CEL_ERROR)
            args[1] = dray_cel_of_list(e->arena, dray_cel_keep(e->arena, item), 1);
        return dray_cel_eval_called(call, e, args);
    }
    dray_cel_charge_units(e, 1);
    return dray_cel_list_append(e->arena, list, item);
}
