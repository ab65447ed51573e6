# SPDX-License-Identifier: Apache-2.0
# The list of check modules, from their definitions in the sources:
#	const struct check_module module_NAME = { … };
# awk -v want=h|c -f check_modules.awk FILES. Modules that own state come in their .order, all others by name;
# two of one name or of one order end the build.

FNR == 1 {
	open = ""
}

/^const struct check_module module_[a-z0-9_]+ = \{/ {
	open = $4
	sub(/^module_/, "", open)
	if (open in where)
		broken(FILENAME ": module_" open " is in " where[open] " already")
	where[open] = FILENAME
	order[open] = 0
}

open && match($0, /\.order = [0-9]+/) {
	order[open] = substr($0, RSTART + 9, RLENGTH - 9) + 0
}

/};$/ {
	open = ""
}

function broken(what) {
	print what > "/dev/stderr"
	failed = 1
	exit 1
}

function before(a, b) {
	if ((order[a] == 0) != (order[b] == 0))
		return order[a] != 0
	if (order[a] && order[a] == order[b])
		broken(where[a] " and " where[b] " have the same .order")
	return order[a] != order[b] ? order[a] < order[b] : a < b
}

END {
	if (failed)
		exit 1
	for (name in order) {
		for (i = ++n; i > 1 && before(name, list[i - 1]); i--)
			list[i] = list[i - 1]
		list[i] = name
	}
	print "/* Made by check_modules.awk from the sources of checks/. */"
	if (want == "h") {
		print "#ifndef CHECK_MODULES_H\n#define CHECK_MODULES_H\n\nenum check_module_id {"
		for (i = 1; i <= n; i++)
			print "\tMODULE_" list[i] ","
		print "\tMODULE_COUNT\n};\n\n#endif"
		exit 0
	}
	print "#include \"checks/engine/check_module.h\"\n"
	for (i = 1; i <= n; i++)
		print "extern const struct check_module module_" list[i] "; /* " where[list[i]] " */"
	print "\nconst struct check_module *const check_modules[MODULE_COUNT] = {"
	for (i = 1; i <= n; i++)
		print "\t&module_" list[i] ","
	print "};"
}
