# SPDX-License-Identifier: Apache-2.0
"""validate.py SCHEMA FILE...: reports against the schema, journals (.part) line by line."""
import json
import sys

import jsonschema

schema = json.load(open(sys.argv[1], encoding="utf-8"))


def check(value, part):
    jsonschema.validate(value, {**schema, "$ref": "#/definitions/" + part})


for name in sys.argv[2:]:
    with open(name, encoding="utf-8") as file:
        if name.endswith(".part"):
            for line in file:
                check(json.loads(line), "record")
        else:
            check(json.load(file), "report")
