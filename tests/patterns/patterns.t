#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Patterns of real clients: no error, and exactly the warnings that stand beside each in the table.
here=$(dirname "$0")
exec "$here/../programs/run" "$here/table" "$@"
