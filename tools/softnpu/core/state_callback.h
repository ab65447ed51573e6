/* SPDX-License-Identifier: Apache-2.0 */
/* Callbacks about devices and streams coming and going. None of these expects the lock. */
#ifndef SOFTNPU_STATE_CALLBACK_H
#define SOFTNPU_STATE_CALLBACK_H

#include "tools/softnpu/core/npu.h"

void device_state_notify(int32_t device, aclrtDeviceState state);
void stream_state_notify(aclrtStream stream, aclrtStreamState state);
aclError task_abort_notify(int32_t device, aclrtDeviceTaskAbortStage stage, uint32_t timeout);
void state_callbacks_forget(void); /* with the lock */

#endif
