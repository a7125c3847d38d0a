"""PyTorch in: the op graph of a model as kgen's MLIR text.

problem_file   reads a file in the benchmark's form, without data
distributions  watches how its tensors are drawn
op_table       which ATen ops the dialect has, and how they are written
verify         has kgen-opt check what was imported
importer       torch.export's graph to the project's MLIR text
"""
