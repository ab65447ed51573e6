/* SPDX-License-Identifier: Apache-2.0 */
/*
 * Sharing with other processes of this machine.  A key names the process and
 * the descriptor of a memory file there; whoever may open that under /proc may
 * import.
 */
#ifndef SOFTNPU_IPC_H
#define SOFTNPU_IPC_H

#include "tools/softnpu/core/device.h"

#define IPC_KEY_SIZE 65u
#define SHARED_FILES 0x3fffffu /* so many different ones are kept of files' numbers, from 1 on */

enum shared_kind { SHARED_NOTIFY = 'n', SHARED_EVENT = 'e', SHARED_MEMORY = 'm', SHARED_PHYSICAL = 'p' };

/* What a key says. */
struct shared_key {
	enum shared_kind kind;
	int pid, fd, device;
	uint32_t file; /* which one the descriptor is of: numbers are given out again; 0 = not known */
	uint64_t offset, size;
};

void shared_key_print(const struct shared_key *k, char *key, size_t len);
bool shared_key_parse(const char *key, enum shared_kind kind, struct shared_key *k);
/* The exporter's memory file, opened here; -1 when it is gone, also when another has its number. */
int shared_key_open(const struct shared_key *k);

/* In a forked child. */
void ipc_memory_forget(void);
struct block;
/* An allocation ends. */
void ipc_memory_freed(const struct block *b);

/* Words that two processes see: a notify, an event, where shared memory is; and who may open it. */
struct shared;
#define SHARED_WORDS 8
#define SHARED_PIDS 65535u

struct shared *shared_word_new(enum shared_kind kind, int device);
struct shared *shared_word_open(enum shared_kind kind, const char *key);
/* By what a key says; its offset and size are not looked at. */
struct shared *shared_open(const struct shared_key *key);
void shared_word_close(struct shared *s);
uint64_t *shared_word(struct shared *s); /* SHARED_WORDS of them */
void shared_word_key(const struct shared *s, char *key, size_t len);
/* Of the process that exports. */
int shared_device(const struct shared *s);
int shared_pid(const struct shared *s);
struct shared_key shared_key_of(const struct shared *s);

/* At first, no process may. */
void shared_let(struct shared *s, int pid);
void shared_let_all(struct shared *s);
bool shared_lets(const struct shared *s, int pid);
/* The list of processes is not looked at. */
bool shared_lets_all(const struct shared *s);

#endif
