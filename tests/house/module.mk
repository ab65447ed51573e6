# SPDX-License-Identifier: Apache-2.0
TESTS += tests/house/house.bats
