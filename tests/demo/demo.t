#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The demonstration shows the mistakes that it says it makes.
here=$(dirname "$0")
exec "$here/../programs/run" "$here/table" "$@"
