/* SPDX-License-Identifier: Apache-2.0 */
/* What every directory of the command builds on. */
#ifndef TOOLS_ACLCHECK_COMMAND_H
#define TOOLS_ACLCHECK_COMMAND_H

#include <getopt.h>
#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/types.h>

#include "checks/engine/rule_table.h"

/* --- the frame (main.c) ---------------------------------------------------- */

/*
 * Exit codes of our own, chosen beside what shells (126 and up), sysexits
 * (64-78) and test tools (1, 2, 77) use.
 */
enum command_exit {
	COMMAND_PASS = 0,
	COMMAND_FAIL = 97, /* at least one finding that counts */
	COMMAND_INCONCLUSIVE = 98, /* nothing wrong seen, but not everything was seen */
	COMMAND_MISUSE = 99 /* the command line, a file or the program to run is wrong */
};

struct command {
	const char *name;
	int (*run)(int argc, char **argv); /* argv[0] is the subcommand's name */
	const char *usage; /* after "aclcheck " */
	const char *text; /* one line */
};

extern const struct command commands[]; /* ended by a NULL name */

/* "aclcheck: …" on stderr. */
void command_say(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* The same and COMMAND_MISUSE. */
int command_misuse(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Prints usage and text of a subcommand, then the given lines: paragraphs, or "OPTION\tTEXT". */
int command_help(const char *name, const char *lines);

/* Memory or the end of the command. */
void *need(void *p);

/* --- language.c -------------------------------------------------------------- */

/* ACLCHECK_LANG, which --lang sets. */
enum acl_lang command_language(void);
/* The text in it, as it is where the table of sentences lacks it; lives until eight more were wanted. */
const char *in_language(const char *english);
/* A sentence of at most 1,023 bytes with its values, in it. */
void print_in_language(FILE *out, const char *format, ...) __attribute__((format(printf, 2, 3)));
void vprint_in_language(FILE *out, const char *format, va_list args);
/* The format itself, or in text one that says "1 process" where it would say "1 processes". */
const char *plural_format(char *text, size_t size, const char *format, va_list given);
/* The text of such a format, which it returns; always English. */
const char *plural_text(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* The same in the user's language; lives as in_language() says. */
const char *text_in_language(char *text, size_t size, const char *format, ...)
	__attribute__((format(printf, 3, 4)));
/* A word in it, in so many columns of a terminal: at their right where width is positive, else at their left.
 */
void print_column(FILE *out, int width, const char *english);

/* --- suggest.c --------------------------------------------------------------- */

/* The candidate most like a word: begin, suggest() each, then the text " (did you mean 'x'?)" or "". */
struct suggestion {
	const char *word, *candidate; /* candidate NULL = none is alike */
	unsigned best;
};
void suggest_begin(struct suggestion *s, const char *word);
void suggest(struct suggestion *s, const char *candidate);
const char *suggest_text(const struct suggestion *s);

/*
 * After getopt has refused the option before argv[index]: says so, and names
 * the one most like it.  COMMAND_MISUSE.
 */
int command_bad_option(char *const *argv, int index, const struct option *options);

/* A paragraph of --help: indented, at most 100 columns wide. Begins in a column that is reached already. */
void command_wrap(const char *text, int indent, int column);

/* "1.5 MiB" in one of four static buffers. */
const char *bytes_text(uint64_t bytes);

/* TMPDIR, else /tmp, else (where that cannot be written) /dev/shm. temporary_directory.c */
const char *temporary_directory(void);
/* With all that is in it. False: something is still there, or made anew. */
bool temporary_directory_remove(const char *path);

/* --- recording_note.c -------------------------------------------------------- */

/* What a recording lacks, noted beside it by who has made it. */
enum recording_lack {
	LACKS_DISK,
	LACKS_END,
	LACKS_PROCESSES,
	LACKS_AFTER_WINDOW,
	LACKS_CALLS,
	RECORDING_LACKS
};
/* What is missing of a recording without having been asked for. */
#define LACKS_UNWANTED (~(1u << LACKS_AFTER_WINDOW))
const char *recording_lack_name(enum recording_lack lack); /* in reports */
const char *recording_lack_text(enum recording_lack lack);
/* The note is now this: a bit for each, 0 = nothing. False: it could not be written. */
bool recording_note(const char *directory, unsigned missing);
/* Of a trace, whose note is in a directory above it: a bit for each. */
unsigned recording_lacks(const char *trace);
/* When the recorded program had ended, by CLOCK_MONOTONIC: LTTng stops a fifth of a second later. */
bool recording_note_end(const char *directory, uint64_t ns);
/* 0 = nothing is noted. */
uint64_t recording_ended(const char *trace);

/* --- child_signals.c --------------------------------------------------------- */

/* Who starts the command may ignore SIGCHLD; then ended children are gone before they are waited for. */
void child_signals_heed(void);
/* In a child, before it becomes the user's program: that finds it as it was. */
void child_signals_restore(void);

/* --- survivor.c -------------------------------------------------------------- */

/* A process of ours that outlives the command when that is killed, to put away what it leaves. */

/* The process becomes one: a session of its own, this name (at most 15 bytes), no signals. */
void survivor_begin(const char *name);
/*
 * Closes all descriptors but the line to the command, which is returned: pipes of others may end in what was
 * inherited, and file systems be busy by it.
 */
int survivor_keep_only(int line);
/* Every descriptor from this one on. */
void close_from(int first);

/* The program that the command runs; no child of this process. */
struct watched_program {
	pid_t pid;
	int fd; /* by which its end is seen; -1 where the kernel has none */
};

/* To be begun while the program certainly is there. */
struct watched_program survivor_watch(pid_t program);
/* Until it has ended. */
void survivor_wait(struct watched_program program);

/* --- files of the repository that are part of the command --------------------- */

/* From symbol to symbol_end, and a NUL behind it. */
#define EMBED(symbol, path)                                                                                  \
	__asm__(".pushsection .rodata\n" #symbol ":\n.incbin \"" path "\"\n" #symbol                         \
		"_end:\n.byte 0\n.popsection\n");                                                            \
	extern const char symbol[], symbol##_end[]

/* --- members of jansson objects (json_members.c) --------------------------- */

/* One that is not there is the empty value: "", 0, false. */
const char *text_of(const json_t *object, const char *key);
json_int_t number_of(const json_t *object, const char *key);
bool flag_of(const json_t *object, const char *key);

/* --- what streams wait for (signal_way.c) ----------------------------------- */

/* By enum acl_operation, 0 = there is none; handle: enum acl_handle, none for a word of memory. */
struct signal_way {
	unsigned record, wait, reset, destroy, handle;
	const char *what, *act;
};

enum signal_act { SIGNAL_NONE, SIGNAL_RECORD, SIGNAL_WAIT, SIGNAL_FORGET };

/* What the function does with a signal of that way; NULL = it has to do with none. */
enum signal_act signal_act(unsigned api, const struct signal_way **way);
/* The parameter that names the signal, -1 = none alone does. */
int signal_argument(unsigned api);

/* --- results that appear whole or not at all (whole_file.c) ---------------- */

/*
 * A regular file, or one that is not there yet, is replaced when all is written.  Everything else (a
 * terminal, a pipe, /dev/null, /dev/stdout) is written to; directories and disks are refused.
 */
struct whole_file {
	FILE *f;
	const char *path; /* as named */
	char *file, *part; /* what is replaced, and what will take its place; NULL = written to directly */
};

/* NULL after one line was said. path is kept, not copied. */
FILE *whole_file_begin(struct whole_file *w, const char *path);
/* False: one line has been said, and a regular file is as it was. */
bool whole_file_end(struct whole_file *w);
/* Both, for a text in memory. */
bool whole_file(const char *path, const char *text, size_t size);
/* Whether the path names something that is written to, not replaced. */
bool whole_file_is_special(const char *path);

#endif
