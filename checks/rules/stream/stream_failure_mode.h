/* SPDX-License-Identifier: Apache-2.0 */
/* Failure modes of streams. */
#ifndef CHECKS_STREAM_FAILURE_MODE_H
#define CHECKS_STREAM_FAILURE_MODE_H

#include "checks/engine/instance.h"

/* The stream was told to stop on failure. */
bool stream_stops_on_failure(struct checks *c, struct acl_object *stream);

#endif
