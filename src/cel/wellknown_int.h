/* Private to cel: the protobuf messages that every environment knows. */
#ifndef DRAY_CEL_WELLKNOWN_INT_H
#define DRAY_CEL_WELLKNOWN_INT_H

#include "cel/decl.h"

extern const dray_cel_library dray_cel_lib_well_known;

#endif
