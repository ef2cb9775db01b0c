/* Which tag an image's name carries. Private to default/. */
#ifndef DRAY_API_DEFAULT_IMAGE_INT_H
#define DRAY_API_DEFAULT_IMAGE_INT_H

#include "base/str.h"

/* Whether the tag is "latest": given as such, or by neither tag nor digest. False for what is no
 * name of an image. Source: distribution/reference v0.6.0. */
bool dray_image_is_latest(dray_str image);

#endif
