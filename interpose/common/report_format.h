/* SPDX-License-Identifier: Apache-2.0 */
/* The version of reports and journals, their member "format". A reader refuses newer ones. */
#ifndef INTERPOSE_REPORT_FORMAT_H
#define INTERPOSE_REPORT_FORMAT_H

#define REPORT_FORMAT 1

#endif
