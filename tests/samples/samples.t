#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Smoke test: a whole application is right and the checker has nothing to say about it.
here=$(dirname "$0")
exec "$here/../programs/run" "$here/table" "$@"
