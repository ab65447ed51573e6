#!/usr/bin/env bats
# SPDX-License-Identifier: Apache-2.0
# The ready files of tools/ci: their commands run as the service runs them, and what they hand over is there.

setup() {
	cd "$BATS_TEST_TMPDIR" || return
	SOURCE=$ACLCHECK_SOURCE
	export PATH=$ACLCHECK_BUILD:$PATH PROGRAM=$ACLCHECK_BUILD/tests/report/misaligned TMPDIR=$PWD/tmp
	unset GITHUB_STEP_SUMMARY
	mkdir tmp
	for how in clean bug; do
		mkdir $how
		# The program of the user's repository, and its build.
		printf '#!/bin/sh\nexec "%s" %s\n' "$PROGRAM" $how >$how/app.in
		printf 'app: app.in\n\tcp app.in app && chmod +x app\n' >$how/Makefile
	done
}

# Reads the commands of a file as JSON: main ones, those that run always, and the files that are handed over.
commands() {
	python3 - "$SOURCE/tools/ci/$1" <<-'END'
		import json, re, sys, yaml
		path = sys.argv[1]
		text = open(path).read()
		if path.endswith("github-actions.yml"):
		    steps = yaml.safe_load(text)["jobs"]["aclcheck"]["steps"]
		    runs = [s for s in steps if "run" in s and not s["name"].startswith("Install")]
		    main = [s["run"] for s in runs if "if" not in s]
		    always = [s["run"] for s in runs if s.get("if") == "always()"]
		    files = [f for s in steps for f in (s.get("with", {}).get("path", "") + " " + s.get("with", {}).get("sarif_file", "")).split()]
		elif path.endswith("gitlab-ci.yml"):
		    job = yaml.safe_load(text)["aclcheck"]
		    main, always = ["\n".join(job["script"])], job["after_script"]
		    files = job["artifacts"]["paths"] + list(job["artifacts"]["reports"].values())
		else:
		    stages, post = text.split("post {")
		    main = re.findall(r"sh '([^']*)'", stages.split("stage('Build')")[1])
		    always = re.findall(r"sh '([^']*)'", post)
		    files = re.findall(r"(?:pattern|testResults|reportFiles): '([^']*)'", post)
		json.dump({"main": main, "always": always, "files": files}, sys.stdout)
	END
}

# service FILE CODE HOW: the job ends with that code, and hands over every file.
service() {
	local wanted=$2 code=0
	commands "$1" >"$BATS_TEST_TMPDIR/commands.json"
	cd "$BATS_TEST_TMPDIR/$3"
	python3 - "$BATS_TEST_TMPDIR/commands.json" >log 2>&1 <<-'END' || code=$?
		import json, subprocess, sys
		job = json.load(open(sys.argv[1]))
		assert job["main"] and job["always"] and job["files"]
		code = 0
		for command in job["main"]:
		    code = code or subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command]).returncode
		for command in job["always"]:
		    print("::", subprocess.run(["bash", "-e", "-o", "pipefail", "-c", command]).returncode, command)
		for name in job["files"]:
		    text = open(name).read()
		    assert text, name
		    if name.endswith(("json", "sarif")):
		        json.loads(text)
		    elif name.endswith("xml"):
		        import xml.dom.minidom
		        xml.dom.minidom.parseString(text)
		sys.exit(code)
	END
	cat log
	[ "$code" = "$wanted" ]
}

@test "GitHub Actions" {
	service github-actions.yml 0 clean
	service github-actions.yml 97 bug
	grep -q '::error .*title=aclcheck async-copy-alignment' log
	grep -q async-copy-alignment aclcheck.sarif
}

@test "GitLab CI" {
	service gitlab-ci.yml 0 clean
	service gitlab-ci.yml 97 bug
	grep -q async-copy-alignment gl-code-quality-report.json
	grep -q '<failure' aclcheck-junit.xml
}

@test "Jenkins" {
	service Jenkinsfile 0 clean
	service Jenkinsfile 97 bug
	grep -q async-copy-alignment aclcheck.sarif
}
