#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0

@test "the output that README shows is what the demonstration prints" {
	cd "$ACLCHECK_SOURCE"
	tests/demo/screen | tools/docs/fill --check README.md demo
}
