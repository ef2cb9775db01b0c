/* Names of container images, as the distribution's reference grammar reads them.
 *
 *     dray_image_is_latest(DRAY_STR("registry:5000/app"))      true: no tag and no digest
 *     dray_image_is_latest(DRAY_STR("app:v1"))                 false
 *
 * Source: github.com/distribution/reference; pkg/util/parsers. Pure.
 */
#ifndef DRAY_API_RULES_IMAGE_H
#define DRAY_API_RULES_IMAGE_H

#include "base/str.h"

/* Whether the tag is "latest", given or for want of tag and digest. What is no image name has no
 * tag. */
bool dray_image_is_latest(dray_str image);

#endif
