/* SPDX-License-Identifier: Apache-2.0 */
/* The release of the loaded runtime, for target_cann=auto. */
#ifndef INTERPOSE_RUNTIME_VERSION_H
#define INTERPOSE_RUNTIME_VERSION_H

/* After a successful aclInit. */
void version_ask(void);

#endif
