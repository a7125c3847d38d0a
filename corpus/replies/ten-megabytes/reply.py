import sys

sys.stdout.write('{"materializations": [{"settings": "' + "s" * 10000000 + '", "directives": "", "cuda": "", "plan": ""}]}')
