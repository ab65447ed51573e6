#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0

same() {
	cd "$ACLCHECK_SOURCE"
	tests/demo/screen "$1" | tools/docs/fill --check README.md "$1"
}

@test "the output that README shows is what the demonstration prints" {
	same demo
}

@test "the same of the pipeline whose stream waits for too little" {
	same pipeline
}
