# SPDX-License-Identifier: Apache-2.0
# What people and pipelines read: settings, log, journal, report. Included by interpose/module.mk.

SINK_SOURCES := $(addprefix interpose/,text.c json_out.c hidden.c read_file.c json_in.c settings_table.c settings_rules.c \
	settings.c suppress.c expect.c expected.c config.c decode.c identity.c verdict.c cost.c quiet.c tell.c log.c elf_names.c \
	lines.c symbol.c fingerprint.c \
	shown.c shown_text.c shown_json.c out_file.c claim.c kept.c reach.c asked_json.c lastcalls.c lastcalls_share.c bypass.c imports.c journal.c sink.c)

CPPFLAGS_interpose += -DACLCHECK_VERSION='"$(VERSION)"'
