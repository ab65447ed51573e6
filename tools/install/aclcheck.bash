# SPDX-License-Identifier: Apache-2.0
# Completion for aclcheck: commands, options and values as its --help lists them.

# The text of --help by what it is about: "command NAME", "option NAME", "values NAME A|B".
_aclcheck_help() {
	"$@" --help 2>/dev/null | awk '
		/^  --[a-z]/ { option = $1; sub(/\[?=.*/, "", option); print "option", option; if ($2 ~ /\|/) print "values", option, $2; next }
		/^  [a-z]/ { print "command", $1; next }
		option && /^ +[a-z0-9]+(\|[a-z0-9_.]+)+$/ { print "values", option, $1 }'
}

# What may come for an option, one a line.
_aclcheck_values() {
	local aclcheck=$1 command=$2 option=$3 values
	case $option in
	--rules)
		"$aclcheck" rules 2>/dev/null | awk '{ print "-" $4; print "+" $4; print $4 "=advice" }'
		return
		;;
	esac
	values=$(_aclcheck_help "$aclcheck" "$command" | awk -v option="$option" '$1 == "values" && $2 == option { print $3 }')
	printf '%s\n' "${values//|/$'\n'}"
}

_aclcheck() {
	local aclcheck=${COMP_WORDS[0]} command=${COMP_WORDS[1]-} word=${COMP_WORDS[COMP_CWORD]} option=${COMP_WORDS[COMP_CWORD - 1]} i
	local words=""
	COMPREPLY=()
	if [ "$COMP_CWORD" -eq 1 ]; then
		words=$(_aclcheck_help "$aclcheck" | awk '$1 == "command" { print $2 }')
		mapfile -t COMPREPLY < <(compgen -W "$words --help --version" -- "$word")
		return
	fi
	# Behind "--" stands the program.
	for ((i = 2; i < COMP_CWORD; i++)); do
		[ "${COMP_WORDS[i]}" != -- ] || { mapfile -t COMPREPLY < <(compgen -f -- "$word"); return; }
	done
	# "--format=json" comes as three words.
	if [ "$option" = = ]; then
		option=${COMP_WORDS[COMP_CWORD - 2]}
	elif [ "$word" = = ]; then
		word=""
	fi
	if [[ $option == --* ]]; then
		words=$(_aclcheck_values "$aclcheck" "$command" "$option")
	fi
	if [ -z "$words" ] && [[ $word == -* ]]; then
		words="$(_aclcheck_help "$aclcheck" "$command" | awk '$1 == "option" { print $2 }') --"
	elif [ -z "$words" ] && [ "$command" = rules ]; then
		words=$("$aclcheck" rules 2>/dev/null | awk '{ print $3; print $4 }' | sort -u)
	fi
	mapfile -t COMPREPLY < <(compgen -W "$words" -- "$word")
}

complete -o default -F _aclcheck aclcheck
