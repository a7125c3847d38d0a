# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""attention_of_masks.py TYPE FIRST LAST KERNELS...: attention, cases FIRST to LAST, each by all KERNELS (settings of the schedule).

Masks are of bools and of numbers, whole and broadcast along batches, heads, queries or keys; some rows see no key. The last cases have no mask.
"""
import sys

LOWEST = {"f16": -65504.0, "f32": -3.4028234663852886e38, "f64": -1.7976931348623157e308}
# shape of the mask (None without), its type ("i1" or the elements'), how it is drawn, queries, keys, depth; "infinite" and "lowest" are of the
# elements' type, and minus infinity or the type's lowest number in some places and in whole rows
CASES = [((2, 3, 70, 75), "i1", "integer(0, 1)", 70, 75, 64), ((2, 1, 70, 75), "i1", "integer(0, 1)", 70, 75, 32),
         ((2, 1, 1, 64), "i1", "integer(0, 1)", 40, 64, 64), ((40, 64), "", "normal(0, 4)", 40, 64, 48),
         ((1, 3, 1, 40), "", "normal(0, 4)", 77, 40, 80), ((3, 37, 1), "i1", "integer(0, 1)", 37, 130, 16),
         ((2, 1, 40, 64), "infinite", "integer(0, 1)", 40, 64, 64), ((2, 1, 40, 70), "lowest", "integer(0, 1)", 40, 70, 32),
         (None, "", "", 130, 75, 128), (None, "causal", "", 77, 77, 32)]


def main():
    element, first, last, kernels = sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), sys.argv[4:]
    arguments, body, results = [], [], []
    for number, (shape, kind, drawn, queries, keys, depth) in list(enumerate(CASES))[first:last + 1]:
        types = [f"tensor<2x3x{rows}x{depth}x{element}>" for rows in (queries, keys, keys)]
        operands = [f"%x{number}_{i}" for i in range(3)]
        arguments += [f"{name}: {type_}" for name, type_ in zip(operands, types)]
        if shape:
            text = "x".join(map(str, shape))
            mask, drawn_as = f"tensor<{text}x{'i1' if kind else element}>", f"tensor<{text}x{'i64' if kind else element}>"
            arguments.append(f'%m{number}: {drawn_as} {{kgen.init = "{drawn}"}}')
            operands.append(f"%m{number}")
            if kind:  # one row in three sees nothing
                rows = f"tensor<{'x'.join(map(str, shape[:-1]))}x1xi64>"
                arguments.append(f'%r{number}: {rows} {{kgen.init = "integer(0, 2)"}}')
                body += [f"  %p{number} = aten.mul.Tensor %m{number}, %r{number} : ({drawn_as}, {rows}) -> {drawn_as}",
                         f"  %s{number} = aten.gt.Scalar %p{number} {{other = 0.0}} : ({drawn_as}) -> {mask}"]
                operands[3] = f"%s{number}"
                if kind != "i1":  # the places that are seen get 0
                    value = "0xFFF0000000000000 : f64" if kind == "infinite" else f"{LOWEST[element]} : f64"
                    added = mask.replace("i1", element)
                    body += [f"  %z{number} = aten.full size [{', '.join(map(str, shape))}] fill_value 0.0 dtype {element} : () -> {added}",
                             f"  %h{number} = aten.logical_not %s{number} : ({mask}) -> {mask}",
                             f"  %f{number} = aten.masked_fill.Scalar %z{number}, %h{number} {{value = {value}}} : ({added}, {mask}) -> {added}"]
                    mask, operands[3] = added, f"%f{number}"
            types.append(mask)
        said = " attn_mask %a3" if shape else " is_causal true" if kind else ""
        for kernel in kernels:
            name = f"%y{len(results)}"
            body += [f"  {name} = kgen.dispatch @a{len(results)} schedule(#kgen.schedule<family = attention, {kernel}>) "
                     f"ins({', '.join(operands)} : {', '.join(types)}) {{",
                     f"  ^bb0({', '.join(f'%a{i}: {type_}' for i, type_ in enumerate(types))}):",
                     f"    %y = aten.scaled_dot_product_attention %a0, %a1, %a2{said} : ({', '.join(types)}) -> {types[0]}",
                     f"    kgen.yield %y : {types[0]}", f"  }} : {types[0]}"]
            results.append(types[0])
    precision = 'attributes {kgen.precision = "tf32"} ' if element == "f32" else ""
    print(f"module {precision}{{\nfunc.func @attention(" + ",\n    ".join(arguments) + f")\n    -> ({', '.join(results)}) {{")
    print("\n".join(body))
    print("  return " + ", ".join(f"%y{i}" for i in range(len(results))) + " : " + ", ".join(results) + "\n}\n}")


if __name__ == "__main__":
    main()
