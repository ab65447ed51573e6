/* SPDX-License-Identifier: Apache-2.0 */
/* What a workspace of Trace Compass says beside the analyses' files. */
#ifndef TOOLS_ACLCHECK_COMPASS_WORKSPACE_H
#define TOOLS_ACLCHECK_COMPASS_WORKSPACE_H

#include <stdbool.h>
#include <sys/types.h>

/* Its directories, below the workspace. */
#define COMPASS_METADATA ".metadata"
#define COMPASS_XML COMPASS_METADATA "/.plugins/org.eclipse.tracecompass.tmf.analysis.xml.core/xml_files"
#define COMPASS_SETTINGS COMPASS_METADATA "/.plugins/org.eclipse.core.runtime/.settings"
#define COMPASS_PREFERENCES COMPASS_SETTINGS "/org.eclipse.tracecompass.tmf.analysis.xml.core.prefs"

/* The process that has the workspace open, 0 = none that can be seen from here. */
pid_t compass_running(const char *workspace);

/*
 * Adds the names to the analyses that are loaded and keeps all else; the file's directory exists.
 * False: one line has been said.
 */
bool compass_enable(const char *preferences, const char *const *names, unsigned n);

#endif
