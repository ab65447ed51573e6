/* SPDX-License-Identifier: Apache-2.0 */
#include "interpose/common/site_conditions.h"

_Atomic uint32_t site_conditions = SITE_OF_PYTHON;
