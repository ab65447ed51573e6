/* SPDX-License-Identifier: Apache-2.0 */
/* What a recorded event becomes. */
#ifndef TOOLS_ACLCHECK_REPLAY_RECORD_H
#define TOOLS_ACLCHECK_REPLAY_RECORD_H

#include "checks/engine/call_record.h"

enum replay_kind {
	REPLAY_ENTRY,
	REPLAY_EXIT,
	REPLAY_CALLBACK, /* api: whose; flags: whether it begins; caller: its argument; after[0]: its launch
			  */
	REPLAY_PROCESS, /* flags: forked by one that had called; text: host, rank, command, with their NULs */
	REPLAY_FACT, /* text: key and value, with their NULs */
	REPLAY_VERDICT, /* text */
	REPLAY_KILLED, /* the process was killed, or crashed */
	REPLAY_MODULE, /* struct replay_module */
	REPLAY_STACK, /* stack: its id; behind it the frames, 8 bytes each */
	REPLAY_PYTHON_PLACE, /* number: its id; result: the line; text: function, file, with their NULs */
	REPLAY_PYTHON_STACK, /* as REPLAY_STACK, with TRACE_PYTHON and the ids of places among the frames */
	REPLAY_THREAD, /* pthread: of the thread */
	REPLAY_ANSWER, /* what the checks asked: enum trace_question in flags, of what in caller; a piece */
	REPLAY_SAID, /* where in caller; struct replay_said */
	REPLAY_GAP, /* events were lost: text says which */
	REPLAY_PEER /* struct checks_peer_news: act in flags, handle in caller, device in result; text: key
		       and who, with their NULs */
};

/* Bits of replay_record.flags, of entries. */
#define REPLAY_FORWARDED 1u
#define REPLAY_IN_EXIT 2u
#define REPLAY_IN_EXIT_HANDLERS 4u

/* Behind it: of an entry, the arguments as struct acl_args_NAME; then pieces, up to bytes. */
struct replay_record {
	uint32_t bytes; /* with what is behind it, a multiple of 8 */
	uint8_t kind; /* enum replay_kind */
	uint8_t path, flags, n_after;
	uint16_t api, depth;
	uint32_t tid, number, stack;
	uint64_t pthread, caller;
	int64_t result;
	int64_t seconds; /* since 1970, 0 where the recording has no clock */
	uint8_t host_class[ACL_CALL_PARAMS];
	uint64_t after[ACL_CALL_AFTER]; /* acl_mark() of calls of other threads */
};

/* What a pointer parameter led to. */
struct replay_piece {
	uint32_t bytes; /* of the content, which stands behind it, filled up to 8 */
	uint8_t parameter;
	uint8_t text; /* ends with a NUL; cut: it went on */
	uint8_t cut;
	uint8_t partial; /* some of it was not recorded and is 0 here */
};

/* Text and reason stand behind it, with their NULs. */
struct replay_said {
	uint64_t what, object, bytes, stream;
};

/* Its path stands behind it, with its NUL. */
struct replay_module {
	uint64_t base, start, end;
	uint32_t id;
	uint8_t build_id[20], build_id_len;
};

#endif
