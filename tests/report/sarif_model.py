# SPDX-License-Identifier: Apache-2.0
"""sarif_model.py FILE: is every member one that Microsoft's object model, made from the official schema, has?"""
import json
import re
import sys

import attr
import sarif_om

# Members whose type is not their own name: the type is that of the schema.
TYPES = {
    "runs": "Run", "driver": "ToolComponent", "rules": "ReportingDescriptor", "invocations": "Invocation",
    "results": "Result", "shortDescription": "MultiformatMessageString", "fullDescription": "MultiformatMessageString",
    "help": "MultiformatMessageString", "defaultConfiguration": "ReportingConfiguration", "frames": "StackFrame",
    "toolExecutionNotifications": "Notification", "relatedLocations": "Location", "region": "Region",
    "snippet": "ArtifactContent", "automationDetails": "RunAutomationDetails", "originalUriBaseIds": None,
    "properties": None, "partialFingerprints": None,
}


def type_of(key, parent):
    if key == "locations" and parent == "ThreadFlow":
        return "ThreadFlowLocation"
    if key in TYPES:
        return TYPES[key]
    name = key[0].upper() + key[1:]
    return name if hasattr(sarif_om, name) else re.sub("s$", "", name)


def check(value, name, where):
    if isinstance(value, list):
        for i, one in enumerate(value):
            check(one, name, f"{where}[{i}]")
        return
    if not isinstance(value, dict) or name is None:
        return
    fields = {f.metadata["schema_property_name"]: f for f in attr.fields(getattr(sarif_om, name))}
    for key in value:
        assert key in fields or key == "$schema", f"{where}.{key} is no member of {name}"
    for key, field in fields.items():
        assert field.default is not attr.NOTHING or key in value, f"{where}: {name} needs {key}"
    for key, one in value.items():
        check(one, type_of(key, name) if isinstance(one, (dict, list)) and key != "$schema" else None, f"{where}.{key}")
    for uris in (value.get("originalUriBaseIds") or {}).values():
        check(uris, "ArtifactLocation", f"{where}.originalUriBaseIds")


with open(sys.argv[1], encoding="utf-8") as file:
    check(json.load(file), "SarifLog", "log")
