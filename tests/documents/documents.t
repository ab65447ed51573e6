#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The documents' examples: right results, silent but for what is noted, and one finding for each mistake.
here=$(dirname "$0")
exec "$here/../programs/run" "$here/table" "$@"
