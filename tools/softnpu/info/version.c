/* SPDX-License-Identifier: Apache-2.0 */
/* Which CANN this is: follows the profile. */
#include <stdio.h>
#include <string.h>

#include "tools/softnpu/core/npu.h"

/* aclrtGetVersion answers the version of the interface, which moved with the releases. */
static int interface_minor(void)
{
	return npu_cann() >= CANN_9_0 ? 17 : npu_cann() == CANN_8_5 ? 16 : 14;
}

aclError aclrtGetVersion(int32_t *majorVersion, int32_t *minorVersion, int32_t *patchVersion)
{
	*majorVersion = 1;
	*minorVersion = interface_minor();
	*patchVersion = 0;
	return ACL_SUCCESS;
}

aclError aclsysGetCANNVersion(aclCANNPackageName name, aclCANNPackageVersion *version)
{
	int cann = npu_cann();

	memset(version, 0, sizeof(*version));
	snprintf(version->version, sizeof(version->version), "%d.%d.0", cann / 10, cann % 10);
	snprintf(version->majorVersion, sizeof(version->majorVersion), "%d", cann / 10);
	snprintf(version->minorVersion, sizeof(version->minorVersion), "%d", cann % 10);
	strcpy(version->releaseVersion, "0");
	return ACL_SUCCESS;
}

aclError aclsysGetVersionStr(char *pkgName, char *versionStr)
{
	snprintf(versionStr, ACL_PKG_VERSION_MAX_SIZE, "%d.%d.0", npu_cann() / 10, npu_cann() % 10);
	return ACL_SUCCESS;
}

/* Major, minor and patch as two digits each, with room for a pre-release. */
aclError aclsysGetVersionNum(char *pkgName, int32_t *versionNum)
{
	*versionNum = npu_cann() / 10 * 10000000 + npu_cann() % 10 * 100000;
	return ACL_SUCCESS;
}
