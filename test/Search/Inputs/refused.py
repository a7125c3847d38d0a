"""A model for `exec:`: each round it has one idea, and writes one number that no kernel takes."""
import json
import sys

question = sys.stdin.read()
if 'stage "ideas"' in question:
    number = question.count("97 threads")  # of earlier rounds
    answer = {"ideas": [{"key": f"odd-{number}", "category": "parallel", "idea": f"97 threads for each row, attempt {number}."}]}
else:
    script = '%d = transform.kgen.select "aten.softmax.int" in %f as row\ntransform.kgen.threads_per_row %d 97\n'
    answer = {"materializations": [{"settings": "97", "directives": script, "cuda": "", "plan": ""}]}
print(json.dumps(answer))
