# SPDX-License-Identifier: Apache-2.0
# usage: awk -f state_writes.awk checks/state/*.h checks/rules/*/*.c
# Prints every place of a rule that changes what a state module or the engine keeps: stores and read-modify-writes
# through the structs of checks/state, objects, blocks, threads, devices and the instance.

function foreign(type)
{
	return type in state || type ~ /^(acl_object|acl_block|acl_thread|acl_device|checks)$/
}

# What a file of checks/state declares.
FILENAME ~ /^checks\/state\// {
	if (match($0, /^struct [a-z_]+ \{/))
		state[substr($0, 8, RLENGTH - 9)] = 1
	next
}

FNR == 1 { split("", pointer) }

# Pointers to such structs, in declarations and parameters: forgotten where the next function begins.
/^[a-z}]/ { if (/^[a-z].*\(/) split("", pointer) }

{
	rest = $0
	while (match(rest, /struct [a-z_]+ \*+[a-z_]+/)) {
		split(substr(rest, RSTART, RLENGTH), word, /[ *]+/)
		pointer[word[3]] = word[2]
		rest = substr(rest, RSTART + RLENGTH)
		# struct acl_object *a, *b;
		while (match(rest, /^( = [^;,]*)?, \*[a-z_]+/)) {
			name = substr(rest, 1, RLENGTH)
			sub(/.*\*/, "", name)
			pointer[name] = word[2]
			rest = substr(rest, RLENGTH + 1)
		}
	}
}

match($0, /(store_relaxed|store_release|atomic_store|atomic_exchange|atomic_fetch_[a-z]+|atomic_compare_exchange_[a-z]+|counter_inc|counter_dec|raise_to)\(&[^;]*/) {
	target = substr($0, RSTART, RLENGTH)
	sub(/^[a-z_]+\(&/, "", target)
	base = target
	sub(/[^a-z_].*/, "", base)
	if (target ~ /^[a-z_]+_state\([^)]*\)->/ && base != "module_state" || target ~ /^thread_of\(/ ||
		target ~ /^[a-z_]+->/ && base in pointer && foreign(pointer[base]))
		print FILENAME ":" FNR ": " $0
}

/[^a-z_](object_create|object_destroyed|object_destroying|object_name|object_init)\(/ { print FILENAME ":" FNR ": " $0 }
/map_(insert|erase)\(c?,? ?(memory_blocks|registered_ranges|reserved_ranges|c->maps)/ { print FILENAME ":" FNR ": " $0 }
/->(timed_out|device_wait)(\.[a-z]+)? = / { print FILENAME ":" FNR ": " $0 }
