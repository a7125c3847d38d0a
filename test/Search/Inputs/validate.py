"""Checks each line of JSONL on stdin against a JSON Schema: the keywords that docs/dataset.schema.json uses, no others."""
import json
import re
import sys

TYPES = {"object": dict, "array": list, "string": str, "null": type(None), "number": (int, float), "integer": int}
KNOWN = {"$schema", "title", "description", "type", "const", "enum", "minimum", "minLength", "pattern", "required",
         "properties", "additionalProperties", "items"}


def check(value, schema, where):
    unknown = set(schema) - KNOWN
    assert not unknown, f"{where}: the schema uses {unknown}, which this script does not know"
    if "type" in schema:
        names = schema["type"] if isinstance(schema["type"], list) else [schema["type"]]
        assert any(isinstance(value, TYPES[n]) and not isinstance(value, bool) for n in names), f"{where} is no {names}"
    assert "const" not in schema or value == schema["const"], f"{where} is {value!r}"
    assert "enum" not in schema or value in schema["enum"], f"{where} is {value!r}"
    assert "minimum" not in schema or value >= schema["minimum"], f"{where} is {value!r}"
    assert "minLength" not in schema or len(value) >= schema["minLength"], f"{where} is too short"
    assert "pattern" not in schema or re.search(schema["pattern"], value), f"{where} is {value!r}"
    for name in schema.get("required", []):
        assert name in value, f"{where} has no {name}"
    for name, part in schema.get("properties", {}).items():
        if name in value:
            check(value[name], part, f"{where}.{name}")
    if schema.get("additionalProperties") is False:
        extra = set(value) - set(schema["properties"])
        assert not extra, f"{where} has {extra} too"
    for i, item in enumerate(value if "items" in schema else []):
        check(item, schema["items"], f"{where}[{i}]")


schema = json.load(open(sys.argv[1]))
verdicts = []
for number, line in enumerate(sys.stdin.readlines(), 1):  # all of it: the writer must not meet a closed pipe
    branch = json.loads(line)
    if len(sys.argv) > 2:  # the name of a field that is to be broken
        branch[sys.argv[2]] = None
    check(branch, schema, f"line {number}")
    verdicts.append(branch["verdict"])
print(len(verdicts), "lines are valid:", " ".join(sorted(set(verdicts))))
