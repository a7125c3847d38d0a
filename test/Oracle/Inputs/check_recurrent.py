"""check_recurrent.py GRAPH STEPS FOLDER: holds kgen-oracle's answer for test/Search/Inputs/recurrent.py's graph against the same
sums in python."""
import array
import math
import os
import random
import subprocess
import sys

graph, steps, folder = sys.argv[1], int(sys.argv[2]), sys.argv[3]
random.seed(7)
sizes = [steps * 4 * 32, 2 * 4 * 32, 32 * 32, 32 * 32, 32 * 32, 32 * 32]
inputs = [array.array("d", [random.gauss(0, 0.18) for _ in range(size)]) for size in sizes]
os.makedirs(folder + "/in", exist_ok=True)
os.makedirs(folder + "/out", exist_ok=True)
for number, values in enumerate(inputs):
    with open(f"{folder}/in/in{number}.bin", "wb") as file:
        values.tofile(file)
subprocess.run(["kgen-oracle", graph, "--inputs", folder + "/in", "--outputs", folder + "/out"], check=True)


def product(rows, weight):
    return [[sum(a * b for a, b in zip(row, weight[32 * j:32 * j + 32])) for j in range(32)] for row in rows]


def rows_of(values, start):
    return [list(values[start + 32 * i:start + 32 * i + 32]) for i in range(4)]


sequence = [rows_of(inputs[0], 128 * t) for t in range(steps)]
for layer in range(2):
    state, after = rows_of(inputs[1], 128 * layer), []
    for rows in sequence:
        gates, back = product(rows, inputs[2 + 2 * layer]), product(state, inputs[3 + 2 * layer])
        state = [[math.tanh(a + b) for a, b in zip(one, other)] for one, other in zip(gates, back)]
        after.append(state)
    sequence = after
answer = array.array("d")
with open(folder + "/out/out0.bin", "rb") as file:
    answer.frombytes(file.read())
expected = [value for rows in sequence for row in rows for value in row]
print("elements:", len(answer), "right:", max(abs(a - b) for a, b in zip(answer, expected)) < 1e-12)
