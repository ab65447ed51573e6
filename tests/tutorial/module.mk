# SPDX-License-Identifier: Apache-2.0
TESTS += $(wildcard tests/tutorial/*.bats)
