/* SPDX-License-Identifier: Apache-2.0 */
/* What wrong arguments are answered with where right ones are only linked: models in files, operators by
 * name, queues and channels. */
#include "arguments.h"

#include "acl/acl_mdl.h"
#include "acl/acl_op.h"
#include "acl/acl_op_compiler.h"
#include "acl/acl_tdt.h"
#include "acl/acl_tdt_queue.h"

/* --- models in files ------------------------------------------------------------------------ */

static void loads(void)
{
	uint32_t queues[1] = {0}, id = 77;
	size_t work, weight;

	IS(aclmdlLoadFromFile(NULL, &id), 100000);
	IS(aclmdlLoadFromFile("model.om", NULL), 100000);
	IS(aclmdlLoadFromFileWithMem(NULL, &id, NULL, 0, NULL, 0), 100000);
	IS(aclmdlLoadFromFileWithMem("model.om", NULL, NULL, 0, NULL, 0), 100000);
	IS(aclmdlLoadFromFileWithQ("model.om", &id, NULL, 1, queues, 1), 100000);
	IS(aclmdlLoadFromFileWithQ("model.om", &id, queues, 0, queues, 1), 100000);
	IS(aclmdlLoadFromFileWithQ("model.om", &id, queues, 1, queues, 0), 100000);
	IS(aclmdlLoadFromFileWithQ(NULL, &id, queues, 1, queues, 1), 100000);
	IS(aclmdlLoadFromFileWithQ("model.om", &id, queues, 1, queues, 1), 207000);
	IS(aclmdlLoadFromMem(NULL, 1, &id), 100000);
	IS(aclmdlLoadFromMem("model", 0, &id), 100000);
	IS(aclmdlLoadFromMem("model", 5, NULL), 100000);
	IS(aclmdlLoadFromMem("model", 5, &id), 207000);
	IS(aclmdlLoadFromMemWithMem(NULL, SIZE_MAX, &id, NULL, 0, NULL, 0), 100000);
	IS(aclmdlLoadFromMemWithMem("model", 0, &id, NULL, 0, NULL, 0), 100000);
	IS(aclmdlLoadFromMemWithQ(NULL, 1, &id, queues, 1, queues, 1), 100000);
	IS(aclmdlLoadFromMemWithQ("model", 5, NULL, queues, 1, queues, 1), 100000);
	IS(aclmdlLoadWithConfig(NULL, &id), 100000);
	IS(aclmdlQuerySize(NULL, &work, &weight), 100000);
	IS(aclmdlQuerySize("model.om", NULL, &weight), 100000);
	IS(aclmdlQuerySize("model.om", &work, NULL), 100000);
	IS(aclmdlQuerySizeFromMem(NULL, 5, &work, &weight), 100000);
	IS(aclmdlQuerySizeFromMem("model", 5, NULL, &weight), 100000);
	IS(id, 77);
}

static void bundles(void)
{
	uint32_t id;
	size_t n;

	IS(aclmdlBundleLoadFromFile(NULL, &id), 100000);
	IS(aclmdlBundleLoadFromFile("bundle.om", NULL), 100000);
	IS(aclmdlBundleLoadFromMem(NULL, 1, &id), 100000);
	IS(aclmdlBundleLoadFromMem("bundle", 0, &id), 100000);
	IS(aclmdlBundleGetModelId(0, 0, NULL), 100000);
	IS(aclmdlBundleGetModelNum(0, NULL), 100000);
	IS(aclmdlBundleGetModelNum(0, &n), 207000);
}

static void configurations(void)
{
	int one = 1;

	IS(aclmdlSetConfigOpt(NULL, ACL_MDL_PRIORITY_INT32, &one, sizeof(one)), 100000);
	IS(aclmdlSetConfigOpt(INVENTED, ACL_MDL_PRIORITY_INT32, NULL, 0), 100000);
	IS(aclmdlDestroyConfigHandle(NULL), 100000);
	IS(aclmdlSetExecConfigOpt(NULL, ACL_MDL_STREAM_SYNC_TIMEOUT, &one, sizeof(one)), 100000);
	IS(aclmdlDestroyExecConfigHandle(NULL), 100000);
	IS(aclmdlSetExternalWeightAddress(NULL, "weight", INVENTED, 32), 100000);
	IS(aclmdlSetExternalWeightAddress(INVENTED, NULL, INVENTED, 32), 100000);
	IS(aclmdlSetExternalWeightAddress(INVENTED, "weight", NULL, 32), 100000);
	IS(aclmdlSetExternalWeightAddress(INVENTED, "weight", INVENTED, 0), 100000);
	IS(aclmdlSetExternalWeightAddress(INVENTED, "weight", INVENTED, 33), 100000);
	IS(aclmdlSetExternalWeightAddress(INVENTED, "weight", INVENTED, 64), 207000);
	TRUE(!aclmdlCreateConfigHandle());
}

static void datasets(void)
{
	aclmdlIODims dims = {0};
	aclmdlInputAippType type;
	aclAippInfo info;

	IS(aclmdlAddDatasetBuffer(NULL, INVENTED), 100000);
	IS(aclmdlAddDatasetBuffer(INVENTED, NULL), 100000);
	IS(aclmdlDestroyDataset(NULL), 100000);
	IS(aclmdlSetDatasetTensorDesc(NULL, NULL, 0), 100000);
	IS(aclmdlExecute(0, NULL, INVENTED), 100000);
	IS(aclmdlExecute(0, INVENTED, NULL), 100000);
	IS(aclmdlExecuteAsync(0, NULL, NULL, NULL), 100000);
	IS(aclmdlExecuteV2(0, INVENTED, INVENTED, NULL, NULL), 100000);
	IS(aclmdlSetDynamicBatchSize(0, NULL, 0, 1), 100000);
	IS(aclmdlSetDynamicBatchSize(0, INVENTED, 0, 0), 100000);
	IS(aclmdlSetDynamicHWSize(0, NULL, 0, 1, 1), 100000);
	IS(aclmdlSetDynamicHWSize(0, INVENTED, 0, 0, 1), 100000);
	IS(aclmdlSetDynamicHWSize(0, INVENTED, 0, 1, 0), 100000);
	IS(aclmdlSetInputDynamicDims(0, INVENTED, 0, NULL), 100000);
	IS(aclmdlSetInputDynamicDims(0, INVENTED, 0, &dims), 100000);
	IS(aclmdlSetInputAIPP(0, NULL, 0, INVENTED), 100000);
	IS(aclmdlSetInputAIPP(0, INVENTED, 0, NULL), 100000);
	IS(aclmdlSetAIPPByInputIndex(0, INVENTED, 0, NULL), 100000);
	IS(aclmdlGetAippType(0, 0, &type, NULL), 100000);
	IS(aclmdlGetFirstAippInfo(0, 0, NULL), 100000);
	IS(aclmdlGetFirstAippInfo(0, 0, &info), 207000);
}

static void descriptions(void)
{
	aclmdlIODims dims;
	size_t n;

	IS(aclmdlGetDesc(NULL, 0), 100000);
	IS(aclmdlGetInputDims(NULL, 0, &dims), 100000);
	IS(aclmdlGetOutputDims(INVENTED, 0, NULL), 100000);
	IS(aclmdlGetInputDynamicDims(INVENTED, 0, &dims, 1), 100000);
	IS(aclmdlGetInputDynamicGearCount(INVENTED, SIZE_MAX, NULL), 100000);
	IS(aclmdlGetInputDynamicGearCount(INVENTED, 0, &n), 100000);
	IS(aclmdlGetInputIndexByName(NULL, "x", &n), 100000);
	IS(aclmdlGetOutputIndexByName(INVENTED, NULL, &n), 100000);
	TRUE(!strcmp(aclmdlGetInputNameByIndex(NULL, 0), ""));
	TRUE(!strcmp(aclmdlGetOutputNameByIndex(NULL, 0), ""));
	IS(aclmdlGetInputFormat(NULL, 0), ACL_FORMAT_UNDEFINED);
	IS(aclmdlGetOutputDataType(NULL, 0), ACL_DT_UNDEFINED);
	IS((int)aclmdlGetNumInputs(NULL), 0);
}

static void images(void)
{
	size_t n;

	IS(aclmdlDestroyAIPP(NULL), 100000);
	IS(aclmdlGetAippDataSize(0, &n), 100000);
	IS(aclmdlGetAippDataSize(1, NULL), 100000);
	IS(aclmdlSetAIPPInputFormat(NULL, ACL_RGB888_U8), 100000);
	IS(aclmdlSetAIPPInputFormat(INVENTED, (aclAippInputFormat)0), 100000);
	IS(aclmdlSetAIPPInputFormat(INVENTED, ACL_AIPP_RESERVED), 100000);
	IS(aclmdlSetAIPPAxSwapSwitch(NULL, 0), 100000);
	IS(aclmdlSetAIPPAxSwapSwitch(INVENTED, 2), 100000);
	IS(aclmdlSetAIPPRbuvSwapSwitch(INVENTED, -1), 100000);
	IS(aclmdlSetAIPPSrcImageSize(INVENTED, 1, 1), 100000);
	IS(aclmdlSetAIPPSrcImageSize(INVENTED, 2, 4097), 100000);
	IS(aclmdlSetAIPPSrcImageSize(INVENTED, 2, 1), 207000);
	IS(aclmdlSetAIPPCropParams(NULL, 1, 0, 0, 1, 1, 0), 100000);
	IS(aclmdlSetAIPPScfParams(INVENTED, 2, 16, 16, 16, 16, 0), 100000);
	IS(aclmdlSetAIPPDtcPixelMean(NULL, 0, 0, 0, 0, 0), 100000);
}

/* --- operators by name ---------------------------------------------------------------------- */

static void operators(void)
{
	const int64_t values[1] = {1};
	aclopHandle *handle;

	IS(aclopLoad(NULL, (size_t)INT32_MAX + 1), 100000);
	IS(aclopLoad("model", 0), 100000);
	IS(aclopSetModelDir(NULL), 100000);
	IS(aclopSetMaxOpQueueNum(0), 100000);
	IS(aclopCreateHandle(NULL, 0, NULL, 0, NULL, NULL, &handle), 100000);
	IS(aclopCreateHandle("Add", 0, NULL, 0, NULL, NULL, NULL), 100000);
	IS(aclopCreateHandle("Add", -1, NULL, 0, NULL, NULL, &handle), 100000);
	IS(aclopExecWithHandle(NULL, 0, NULL, 0, NULL, NULL), 100000);
	IS(aclopExecuteV2(NULL, 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), 100000);
	IS(aclopExecuteV2("Add", 1, NULL, NULL, 0, NULL, NULL, NULL, NULL), 100000);
	IS(aclopExecuteV2("Add", 0, NULL, NULL, -1, NULL, NULL, NULL, NULL), 100000);
	IS(aclopExecuteV2("Add", 0, NULL, NULL, 0, NULL, NULL, NULL, NULL), 207000);
	IS(aclopUpdateParams("Add", 1, NULL, 0, NULL, NULL), 100000);
	IS(aclopSetAttrInt(NULL, "axis", 0), 100000);
	IS(aclopSetAttrString(INVENTED, NULL, "x"), 100000);
	IS(aclopSetAttrListInt(INVENTED, "axes", 1, NULL), 100000);
	IS(aclopSetAttrListInt(INVENTED, NULL, 1, values), 100000);
	IS(aclopSetAttrListInt(INVENTED, "axes", 0, NULL), 207000);
	IS(aclopSetAttrListInt(INVENTED, "axes", -1, NULL), 207000);
	IS(aclopSetKernelArgs(INVENTED, NULL, 1, values, sizeof(values)), 100000);
}

static void compilations(void)
{
	const aclTensorDesc *described[1] = {INVENTED};
	char text[8] = "x";

	IS(aclopCompile("Add", -1, NULL, 0, NULL, NULL, ACL_ENGINE_SYS, (aclopCompileType)2, NULL), 100000);
	IS(aclopCompile(NULL, 0, NULL, 0, NULL, NULL, ACL_ENGINE_SYS, (aclopCompileType)2, NULL), 200001);
	IS(aclopCompile("Add", 1, NULL, 1, described, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL), 100000);
	IS(aclopCompile("Add", 0, NULL, 0, NULL, NULL, ACL_ENGINE_SYS, ACL_COMPILE_UNREGISTERED, NULL),
		100000);
	IS(aclopCompile("Add", 0, NULL, 0, NULL, NULL, ACL_ENGINE_SYS, ACL_COMPILE_SYS, NULL), 207000);
	IS(aclopCompileAndExecute("Add", 1, described, NULL, 0, NULL, NULL, NULL, ACL_ENGINE_SYS,
		   ACL_COMPILE_SYS, NULL, NULL),
		100000);
	IS(aclopRegisterCompileFunc("Add", NULL), 100000);
	IS(aclopUnregisterCompileFunc(NULL), 100000);
	IS(aclopSetKernelWorkspaceSizes(INVENTED, 1, NULL), 100000);
	IS(aclopSetKernelWorkspaceSizes(INVENTED, -1, NULL), 100000);
	IS(aclopInferShape("Add", 0, NULL, NULL, -1, NULL, NULL), 100000);
	IS(aclopCast(INVENTED, INVENTED, NULL, NULL, 0, NULL), 100000);
	IS(aclSetCompileopt((aclCompileOpt)9999, NULL), 100000);
	IS(aclSetCompileopt(ACL_AUTO_TUNE_MODE, "x"), 200006);
	IS(aclSetCompileopt((aclCompileOpt)9999, "x"), 500000);
	IS(aclGetCompileopt(ACL_OP_JIT_COMPILE, NULL, 0), 100000);
	IS(aclGetCompileopt(ACL_AICORE_NUM, text, sizeof(text)), 200001);
	IS(aclDestroyGraphDumpOpt(NULL), 100000);
	IS(aclGenGraphAndDumpForOp("Add", 0, NULL, NULL, 0, NULL, NULL, NULL, ACL_ENGINE_SYS, NULL, NULL),
		100000);
}

static void tensors(void)
{
	int64_t dims[2] = {1, 1};
	aclTensorDesc *other = INVENTED;

	IS(aclSetTensorShape(NULL, 1, dims), 100000);
	IS(aclSetTensorOriginShape(INVENTED, 1, NULL), 100000);
	IS(aclSetTensorStorageShape(NULL, 0, NULL), 100000);
	IS(aclSetTensorShapeRange(NULL, 0, NULL), 100000);
	IS(aclSetTensorConst(INVENTED, dims, 0), 100000);
	IS(aclSetTensorDynamicInput(INVENTED, NULL), 100000);
	IS(aclSetTensorPlaceMent(NULL, ACL_MEMTYPE_DEVICE), 100000);
	IS(aclGetTensorDescDimRange(INVENTED, 0, 1, dims), 100000);
	IS(aclGetTensorDescDimV2(NULL, 0, dims), 100000);
	IS(aclTransTensorDescFormat(NULL, ACL_FORMAT_ND, &other), 100000);
	OK(aclSetTensorFormat(NULL, ACL_FORMAT_ND));
	OK(aclSetTensorOriginFormat(NULL, ACL_FORMAT_ND));
	OK(aclSetTensorStorageFormat(NULL, ACL_FORMAT_ND));
	IS(aclSetTensorFormat(INVENTED, ACL_FORMAT_ND), 207000);
	IS(aclGetTensorDescType(NULL), ACL_DT_UNDEFINED);
	IS(aclGetTensorDescFormat(NULL), ACL_FORMAT_UNDEFINED);
	IS((int)aclGetTensorDescDim(NULL, 0), -1);
	TRUE(!strcmp(aclGetTensorDescName(NULL), ""));
	TRUE(other == INVENTED);
}

/* --- queues and channels -------------------------------------------------------------------- */

static void queues(void)
{
	acltdtBuf buf = INVENTED;
	uint32_t word = 1;
	size_t n;

	IS(acltdtDestroyQueueAttr(NULL), 100000);
	IS(acltdtSetQueueAttr(INVENTED, ACL_TDT_QUEUE_DEPTH_UINT32, sizeof(word), NULL), 100000);
	IS(acltdtSetQueueAttr(INVENTED, (acltdtQueueAttrType)2, sizeof(word), &word), 100000);
	IS(acltdtGetQueueAttr(INVENTED, ACL_TDT_QUEUE_DEPTH_UINT32, sizeof(word), NULL, &word), 100000);
	IS(acltdtGetQueueRouteParam(INVENTED, (acltdtQueueRouteParamType)3, sizeof(word), &n, &word), 100000);
	IS(acltdtAddQueueRoute(INVENTED, NULL), 100000);
	IS(acltdtBindQueueRoutes(NULL), 100000);
	IS(acltdtQueryQueueRoutes(NULL, INVENTED), 100000);
	IS(acltdtAllocBuf(8, 2, &buf), 100000);
	IS(acltdtAllocBuf(8, ACL_TDT_NORMAL_MEM, NULL), 100000);
	IS(acltdtAllocBuf(8, ACL_TDT_NORMAL_MEM, &buf), 200006);
	IS(acltdtCopyBufRef(NULL, NULL), 200006);
	IS(acltdtEnqueue(0, NULL, 0), 200006);
	IS(acltdtDequeue(0, NULL, 0), 200006);
	IS(acltdtFreeBuf(NULL), 200006);
	TRUE(buf == INVENTED);
}

static void channels(void)
{
	const int64_t dims[1] = {1};
	size_t n;

	IS(acltdtDestroyChannel(NULL), 100000);
	IS(acltdtStopChannel(NULL), 100000);
	IS(acltdtSendTensor(NULL, INVENTED, 0), 100000);
	IS(acltdtReceiveTensor(INVENTED, NULL, 0), 100000);
	IS(acltdtQueryChannelSize(NULL, &n), 100000);
	IS(acltdtAddDataItem(INVENTED, NULL), 100000);
	IS(acltdtDestroyDataset(NULL), 100000);
	IS(acltdtDestroyDataItem(NULL), 100000);
	IS(acltdtGetDimsFromItem(INVENTED, NULL, 1), 100000);
	IS(acltdtGetDimsFromItem(INVENTED, (int64_t *)dims, 0), 100000);
	IS(acltdtGetTensorTypeFromItem(NULL), ACL_TENSOR_DATA_UNDEFINED);
	IS(acltdtGetDataTypeFromItem(NULL), ACL_DT_UNDEFINED);
}

/* A type that is unknown is noted; what only this product has not, is not. */
static void capability(void)
{
	int32_t value = 77;

	setup();
	IS(aclrtGetDeviceCapability(0, (aclrtDevFeatureType)2, &value), 107000);
	IS(aclrtPeekAtLastError(ACL_RT_THREAD_LEVEL), 0);
	IS(aclrtGetDeviceCapability(0, (aclrtDevFeatureType)-1, &value), 107000);
	IS(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 107000);
	IS(aclrtGetDeviceCapability(0, (aclrtDevFeatureType)20002, &value), 107000);
	IS(aclrtGetLastError(ACL_RT_THREAD_LEVEL), 107000);
	IS(value, 77);
}

static const struct tap_case cases[] = {C(loads), C(bundles), C(configurations), C(datasets), C(descriptions),
	C(images), C(operators), C(compilations), C(tensors), C(queues), C(channels), C(capability)};

ORACLE_MAIN(cases)
