"""overlap.py PLAN share|late: spoils the lifetimes of a network's plan."""
import json
import sys

path, how = sys.argv[1:]
plan = json.load(open(path))
if how == "share":
    for space in plan["workspace"]:
        space["offset"] = 0
else:
    plan["workspace"][0]["last"] = plan["workspace"][0]["first"]
json.dump(plan, open(path, "w"))
