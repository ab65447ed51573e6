/* SPDX-License-Identifier: Apache-2.0 */
/* What a finding counts for, decided once and then the same for every sink. */
#ifndef INTERPOSE_FINDING_STATUS_H
#define INTERPOSE_FINDING_STATUS_H

enum finding_status {
	FINDING_COUNTED,
	FINDING_SUPPRESSED, /* by an entry of a suppression file */
	FINDING_EXPECTED, /* by the program or an entry of a file */
	FINDING_STATUSES
};

#endif
