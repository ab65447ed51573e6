/* SPDX-License-Identifier: Apache-2.0 */
#ifndef INTERPOSE_HOST_NAME_H
#define INTERPOSE_HOST_NAME_H

/* Of this machine, fit for the name of a file; "unknown" where the system does not say. */
const char *host_name(void);

#endif
