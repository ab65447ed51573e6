/* SPDX-License-Identifier: Apache-2.0 */
/* Labels: places in a built model to jump to. */
#ifndef SOFTNPU_LABEL_H
#define SOFTNPU_LABEL_H

#include "tools/softnpu/graph/model.h"

void labels_release_model(struct model *m);

#endif
