/* SPDX-License-Identifier: Apache-2.0 */
/* What recorded processes do with each other's memory, events and notifies. */
#ifndef TOOLS_ACLCHECK_REPLAY_PEERS_H
#define TOOLS_ACLCHECK_REPLAY_PEERS_H

#include "tools/aclcheck/trace/replay/replay.h"

#define REPLAY_WHO 32

/* A recorded process, as far as others are concerned. */
struct replay_peer {
	char who[REPLAY_WHO]; /* "rank 1", or "process 4711" */
	char host[64], visible[64]; /* devices: ASCEND_RT_VISIBLE_DEVICES, valid where visible_known */
	bool visible_known;
	bool ranked; /* it has said which of how many ranks it is */
	bool untrusted; /* calls of it are missing: nothing follows from what it did, or did not */
	bool only_known_work; /* nothing works below the interface, as it answered last */
	bool enables_peers, shares_events;
	enum { NO_DEVICE, ONE_DEVICE, SEVERAL_DEVICES } devices; /* that it has named so far */
	int device;
	bool awaited; /* it has ended, and what others do later may still say something of it */
	void (*send)(struct replay_peer *p, const struct replay_record *r);
};

struct replay_peers_seen {
	bool reported; /* to a process: what another one did */
	bool needs_all; /* … that no process did something: true only if all are recorded */
};

/* all_are_there: what no recorded process has done, none has. */
void replay_peers_begin(bool all_are_there);
/* A record of the process: before it is sent, the end of a call after that. */
void replay_peers_look(struct replay_peer *p, const struct replay_record *r);
/* The process has ended. */
void replay_peers_ended(struct replay_peer *p);
/* All is read; a process that awaits a record of others has not ended yet. */
void replay_peers_finish(void);
const struct replay_peers_seen *replay_peers_end(void);

#endif
