# SPDX-License-Identifier: Apache-2.0
# For bats files that run under the emulator as well: what tests/aarch64/excluded lists is skipped there.

# In setup. A line of the list: FILE NAME: reason
skip_where_emulated() {
	[ -n "${TEST_EMULATOR-}" ] || return 0
	local line name=${BATS_TEST_FILENAME#"$ACLCHECK_SOURCE"/}" $BATS_TEST_DESCRIPTION: "

	while read -r line; do
		[[ $line != "$name"* ]] || skip "${line#"$name"}"
	done <"$ACLCHECK_SOURCE/tests/aarch64/excluded"
}
