# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""attention_of_nan.py TYPE UNITS...: a graph of attention over several heads with NaN in queries, in keys or in values.

A NaN of a query makes its row NaN, one of a key its head, and one of a value its column of its head; nothing else may show it. Queries and keys
have tails that fill up tiles. With a causal mask only queries have them: PyTorch leaves open whether a NaN behind a mask shows.
"""
import sys

# operand with NaN, causal, queries, keys, depth, once in so many elements
CASES = [(0, False, 70, 75, 64, 300), (0, True, 77, 77, 32, 300), (1, False, 37, 75, 32, 9000), (2, False, 100, 70, 48, 300)]


def main():
    element, units = sys.argv[1], sys.argv[2:]
    arguments, body, results = [], [], []
    for number, (pierced, causal, queries, keys, depth, once) in enumerate(CASES):
        types = [f"tensor<1x3x{rows}x{depth}x{element}>" for rows in (queries, keys, keys)]
        values, where = types[pierced], types[pierced].replace(element + ">", "i64>")
        bools = where.replace("i64", "i1")
        arguments += [f"%x{number}_{i}: {kind}" for i, kind in enumerate(types)]
        arguments.append(f'%i{number}: {where} {{kgen.init = "integer(0, {once - 1})"}}')
        body += [f"  %n{number} = kgen.dispatch @spots{number} schedule(#kgen.schedule<family = pointwise>) "
                 f"ins(%x{number}_{pierced}, %i{number} : {values}, {where}) {{",
                 f"  ^bb0(%a: {values}, %b: {where}):",
                 f"    %m = aten.eq.Scalar %b {{other = 0.0}} : ({where}) -> {bools}",
                 f"    %y = aten.masked_fill.Scalar %a, %m {{value = 0x7FF8000000000000 : f64}} : ({values}, {bools}) -> {values}",
                 f"    kgen.yield %y : {values}",
                 f"  }} : {values}"]
        operands = ", ".join(f"%n{number}" if i == pierced else f"%x{number}_{i}" for i in range(3))
        for kind in units:
            name = f"%r{len(results)}"
            body += [f"  {name} = kgen.dispatch @a{len(results)} schedule(#kgen.schedule<family = attention, mma = {kind}>) "
                     f"ins({operands} : {', '.join(types)}) {{",
                     f"  ^bb0({', '.join(f'%a{i}: {type_}' for i, type_ in enumerate(types))}):",
                     f"    %y = aten.scaled_dot_product_attention %a0, %a1, %a2 {'is_causal true ' if causal else ''}"
                     f": ({', '.join(types)}) -> {types[0]}",
                     f"    kgen.yield %y : {types[0]}",
                     f"  }} : {types[0]}"]
            results.append(types[0])
    precision = 'attributes {kgen.precision = "strict-fp32"} ' if element == "f32" else ""
    print(f"module {precision}{{\nfunc.func @attention(" + ",\n    ".join(arguments) + f")\n    -> ({', '.join(results)}) {{")
    print("\n".join(body))
    print("  return " + ", ".join(f"%r{i}" for i in range(len(results))) + " : " + ", ".join(results) + "\n}\n}")


if __name__ == "__main__":
    main()
