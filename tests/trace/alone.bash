# SPDX-License-Identifier: Apache-2.0
# LTTng daemons of root share one directory.  Where it cannot be made private (no right to mount, as in many
# containers) two recordings at once disturb each other: then one file of tests after the other.

# Until this shell and what it has started end.
alone() {
	if [ "$(id -u)" -ne 0 ] || unshare -m true 2>/dev/null; then return 0; fi
	exec 200<"$ACLCHECK_BUILD"
	flock 200
}
