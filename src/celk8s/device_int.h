/* Private to celk8s: a device as values. */
#ifndef DRAY_CELK8S_DEVICE_INT_H
#define DRAY_CELK8S_DEVICE_INT_H

#include "celk8s/celk8s.h"
#include "celk8s/libs_int.h"

enum { DRAY_CELK8S_SLOTS = 96 }; /* most variables, names of types among them, of an environment */

struct dray_celk8s_device {
    /* `device` in every slot: it is the only variable, wherever an environment has put it. */
    dray_cel_value variables[DRAY_CELK8S_SLOTS];
    dray_str error;      /* of an attribute; p == NULL: none */
    dray_str list_error; /* of the first attribute that is a list, where lists are refused */
};

#endif
