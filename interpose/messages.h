/* SPDX-License-Identifier: Apache-2.0 */
/* The few words of ours around a finding, in both languages. */
#ifndef INTERPOSE_MESSAGES_H
#define INTERPOSE_MESSAGES_H

#include "checks/rule.h"

enum message {
	MSG_ERROR,
	MSG_WARNING,
	MSG_PERF,
	MSG_PORTABILITY,
	MSG_ADVICE,
	MSG_SECONDARY,
	MSG_RELAXED,
	MSG_RETURNED,
	MSG_THREAD,
	MSG_CALLBACK,
	MSG_CREATED,
	MSG_LAST_USED,
	MSG_DESTROYED,
	MSG_DEVICE,
	MSG_CONTEXT,
	MSG_HINT,
	MSG_SEE,
	MSG_SEEN,
	MSG_FURTHER,
	MSG_SUMMARY,
	MSG_CALLS,
	MSG_NO_FINDINGS,
	MSG_PLACES,
	MSG_VERDICT,
	MSG_REPORT,
	MSG_SUPPRESSED,
	MSG_EXPIRED,
	MSG_UNUSED,
	MSG_COUNT
};

static const char *const messages[MSG_COUNT][ACL_LANG_COUNT] = {
	[MSG_ERROR] = {"error", "错误"},
	[MSG_WARNING] = {"warning", "警告"},
	[MSG_PERF] = {"performance", "性能"},
	[MSG_PORTABILITY] = {"portability", "可移植性"},
	[MSG_ADVICE] = {"advice", "建议"},
	[MSG_SECONDARY] = {"a consequence of finding ", "由先前的问题引起:#"},
	[MSG_RELAXED] = {"no longer demanded since CANN ", "自以下 CANN 版本起不再要求:"},
	[MSG_RETURNED] = {"returned ", "返回 "},
	[MSG_THREAD] = {"thread ", "线程 "},
	[MSG_CALLBACK] = {"inside a callback of the runtime", "在运行时回调函数内"},
	[MSG_CREATED] = {"created by ", "创建于 "},
	[MSG_LAST_USED] = {"last used by ", "最后使用于 "},
	[MSG_DESTROYED] = {"destroyed by ", "销毁于 "},
	[MSG_DEVICE] = {"device ", "设备 "},
	[MSG_CONTEXT] = {"context ", "上下文 "},
	[MSG_HINT] = {"hint: ", "建议: "},
	[MSG_SEE] = {"see:  ", "参见: "},
	[MSG_SEEN] = {"seen %u times here", "此处已出现 %u 次"},
	[MSG_FURTHER] = {"repeats here are counted and shown at %u, then each tenfold",
		"此处的重复只计数,在第 %u 次及其后每十倍时再显示"},
	[MSG_SUMMARY] = {"summary", "汇总"},
	[MSG_CALLS] = {"%u calls checked", "已检查 %u 次调用"},
	[MSG_NO_FINDINGS] = {"nothing found", "未发现问题"},
	[MSG_PLACES] = {"%u places", "%u 处"},
	[MSG_VERDICT] = {"verdict: ", "结论: "},
	[MSG_REPORT] = {"report: ", "报告: "},
	[MSG_SUPPRESSED] = {"suppressed", "已抑制"},
	[MSG_EXPIRED] = {"suppression expired on ", "抑制项已过期:"},
	[MSG_UNUSED] = {"suppressions that matched nothing here: %u", "未匹配的抑制项:%u"},
};

#endif
