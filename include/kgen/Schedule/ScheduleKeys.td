//===- ScheduleKeys.td - Families, directives and schedule keys -*- tablegen -*-===//
//
// Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
// The one table of what a #kgen.schedule may hold. To add a key, add a record:
// the attribute's verifier, the directive and its checks, the family's legal
// set and typed schedule, the catalogue's legality and neighbours, the prompt
// and the reference follow.
//
//===----------------------------------------------------------------------===//
#ifndef KGEN_SCHEDULE_SCHEDULEKEYS
#define KGEN_SCHEDULE_SCHEDULEKEYS

include "kgen/Schedule/ScheduleBase.td"

//===----------------------------------------------------------------------===//
// Families and variants
//===----------------------------------------------------------------------===//

def Generic : KernelFamily<"generic", "the round 0 path: loops, no schedule parameters">;
def Pointwise : KernelFamily<"pointwise", "element-wise chains">;
def Pool : KernelFamily<"pool", "windows: max and average pooling">;
def Row : KernelFamily<"row", "row reductions: softmax, norms, sums">;
def Gemm : KernelFamily<"gemm", "matrix products">;
def Conv : KernelFamily<"conv", "convolutions as implicit matrix products">;
def Attention : KernelFamily<"attention", "scaled dot product attention">;
def Scan : KernelFamily<"scan", "prefix sums and products">;
def Gather : KernelFamily<"gather", "rows and elements at positions that are read at run time">;

def PointwisePacks : Variant<Pointwise, "packs", "threads that stride over packs of elements">;
def PoolWindows : Variant<Pool, "windows", "a thread for a few neighbouring windows">;
def PoolRows : Variant<Pool, "rows", "a block for a stretch of a row, which passes through shared memory">;
def RowRegisters : Variant<Row, "registers", "the row in registers, of one block or of a cluster's">;
def RowReread : Variant<Row, "reread", "the row read again for the output">;
def RowSplit : Variant<Row, "split", "a row over several blocks, their parts combined by a second kernel">;
def RowStream : Variant<Row, "stream", "the row in shared memory and registers, the next one on its way">;
def RowCluster : Variant<Row, "cluster", "a ring of packs in the shared memories of a cluster">;
def RowGrid : Variant<Row, "grid", "a ring of packs in the shared memories of all blocks">;
def GemmSimt : Variant<Gemm, "simt", "products in fp32, without tensor cores">;
def GemmVector : Variant<Gemm, "vector", "a matrix times a few vectors, some lines of a block">;
def GemmWmma : Variant<Gemm, "wmma", "the portable warp matrix API">;
def GemmMmaSync : Variant<Gemm, "mma_sync", "warp matrix instructions">;
def GemmStream : Variant<Gemm, "stream", "a small left operand that stays, columns that pass by">;
def GemmWgmma : Variant<Gemm, "wgmma", "warpgroups, fed by tensor map">;
def GemmCluster : Variant<Gemm, "cluster", "warpgroups of a cluster that has a tile, or slices of one">;
def ConvSimt : Variant<Conv, "simt", "products in fp32, without tensor cores">;
def ConvMmaSync : Variant<Conv, "mma_sync", "warp matrix instructions">;
def ConvWgmma : Variant<Conv, "wgmma", "warpgroups that keep a ring of input rows">;
def ConvImplicit : Variant<Conv, "implicit", "warpgroups, fed by tensor map from channels-last images">;
def ConvHalo : Variant<Conv, "halo", "warpgroups that shift over a box of pixels in shared memory">;
def ConvDepthwise : Variant<Conv, "depthwise", "a filter for each channel, without tensor cores">;
def AttentionSimt : Variant<Attention, "simt", "products without tensor cores">;
def AttentionMmaSync : Variant<Attention, "mma_sync", "scores and weights in the fragments of warps">;
def AttentionSplit : Variant<Attention, "split", "parts of the keys for warps and blocks, for few queries">;
def AttentionWgmma : Variant<Attention, "wgmma", "warpgroups, fed by tensor map">;
def ScanBlocks : Variant<Scan, "blocks", "a block for each row, or for neighbouring columns">;
def GatherRows : Variant<Gather, "rows", "rows copied by packs, some threads for each">;
def GatherElements : Variant<Gather, "elements", "a position for each element">;

defvar gathers = [GatherRows, GatherElements];
defvar gemmWarps = [GemmWmma, GemmMmaSync];
defvar gemmBlocks = [GemmSimt] # gemmWarps;
defvar convBlocks = [ConvSimt, ConvMmaSync];
defvar rowBlocks = [RowRegisters, RowReread, RowSplit, RowStream];
defvar rowRings = [RowCluster, RowGrid];
defvar rows = rowBlocks # rowRings;

// What tensor cores take in one step.
defvar any = IntFrom<1, 4096>;
defvar by4 = IntFrom<4, 4096, 4>;
defvar by8 = IntFrom<8, 4096, 8>;
defvar by16 = IntFrom<16, 4096, 16>;
defvar warpgroupRows = IntFrom<64, 256, 64>;
// Widths of the right operand of a warpgroup's product.
defvar warpgroupColumns = IntOf<[8, 16, 24, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256]>;

//===----------------------------------------------------------------------===//
// Shape of the work
//===----------------------------------------------------------------------===//

def TileDirective : Directive<"TileOp", "tile", "P", "[128, 96, 32]">;
def TileKey : Key<"tile", TileDirective, IntsFrom<2, 3, 1, 4096>,
    [Taken<[GemmSimt], IntsOf<[any, any, by4]>>, Taken<[GemmWmma], IntsOf<[by16, by16, by16]>>,
     Taken<[GemmMmaSync], IntsOf<[by16, by8, by16]>>,
     Taken<[GemmStream], IntsOf<[IntFrom<16, 256, 16>, IntFrom<32, 512, 32>, IntFrom<8, 256, 8>]>>,
     Taken<[GemmWgmma, GemmCluster], IntsOf<[warpgroupRows, warpgroupColumns, IntFrom<32, 256, 32>]>>,
     Taken<[ConvSimt], IntsOf<[by4, any, any]>>, Taken<[ConvMmaSync], IntsOf<[by4, by16, by8]>>,
     Taken<[ConvWgmma], IntsOf<[IntOf<[64]>, warpgroupColumns]>>,
     Taken<[ConvImplicit], IntsOf<[warpgroupRows, warpgroupColumns, IntFrom<32, 256, 32>]>>,
     Taken<[ConvHalo], IntsOf<[warpgroupColumns, IntFrom<64, 192, 64>, IntFrom<8, 64, 8>]>>,
     Taken<[AttentionSimt, AttentionMmaSync], IntsOf<[by16, by16]>>,
     Taken<[AttentionWgmma], IntsOf<[IntFrom<64, 192, 64>, IntOf<[16, 32, 48, 64, 80, 96, 112, 128, 160, 192, 224, 256]>]>>],
    "block tile: [m, n, k] of a product, [pixels at most, channels, k] of a convolution, [64, channels] of one on "
    "warpgroups, "
    "[queries, keys] of attention"> {
  let Neighbours = [4, 8, 16, 32, 48, 64, 96, 128, 192, 256];
}

def WarpTileDirective : Directive<"WarpTileOp", "warp_tile", "P", "[64, 48]">;
def WarpTileKey : Key<"warp_tile", WarpTileDirective, IntsFrom<2, 2, 1, 512>,
    [Taken<[GemmWmma, ConvMmaSync], IntsOf<[IntFrom<16, 512, 16>, IntFrom<16, 512, 16>]>>,
     Taken<[GemmMmaSync], IntsOf<[IntFrom<16, 512, 16>, IntFrom<8, 512, 8>]>>,
     Taken<[GemmStream], IntsOf<[IntFrom<16, 128, 16>, IntFrom<32, 256, 32>]>>,
     Taken<[AttentionSplit], IntsOf<[IntFrom<16, 16>, IntFrom<16, 64, 16>]>>],
    "tile of one warp"> {
  let Neighbours = [16, 32, 48, 64, 96, 128];
}

def DepthsKey : Key<"depths", TileDirective, IntOf<[1, 2, 4]>, [MayTake<[ConvHalo]>],
    "neighbouring output depths of a convolution of few filters that fill the rows of one product of a warpgroup; open, "
    "as many as fit"> {
  let Neighbours = [1, 2, 4];
}

def ThreadTileDirective : Directive<"ThreadTileOp", "thread_tile", "C", "[8, 8]">;
def ThreadTileKey : Key<"thread_tile", ThreadTileDirective, IntsFrom<2, 2, 1, 64>,
    [Taken<[GemmSimt, ConvSimt, ConvDepthwise]>],
    "tile of one thread, in elements; [rows, columns] of outputs where each channel has a filter"> {
  let Neighbours = [1, 2, 4, 8, 16];
}

def PoolTileDirective : Directive<"PoolTileOp", "pool_tile", "P", "[4, 9]">;
def PoolTileKey : Key<"pool_tile", PoolTileDirective, IntsFrom<1, 2, 1, 64>, [MayTake<convBlocks>],
    "pooled outputs of one block, per spatial dimension"> {
  let Neighbours = [1, 2, 3, 4, 6, 9, 13, 18, 27];
}

//===----------------------------------------------------------------------===//
// Arithmetic
//===----------------------------------------------------------------------===//

def MmaDirective : Directive<"MmaOp", "mma", "C", "wmma">;
def MmaKey : Key<"mma", MmaDirective, WordOf<["none", "wmma", "mma_sync", "wgmma"]>,
    [Taken<[GemmSimt, GemmVector, ConvSimt, ConvDepthwise, AttentionSimt], WordOf<["none"]>>, Taken<[GemmWmma], WordOf<["wmma"]>>,
     Taken<[GemmMmaSync, GemmStream, ConvMmaSync, AttentionMmaSync, AttentionSplit], WordOf<["mma_sync"]>>,
     Taken<[GemmWgmma, GemmCluster, ConvImplicit, ConvHalo, ConvWgmma, AttentionWgmma], WordOf<["wgmma"]>>],
    "tensor-core instructions">;

def MmaDtypeDirective : Directive<"MmaDtypeOp", "mma_dtype", "D", "tf32">;
def DtypeKey : Key<"dtype", MmaDtypeDirective, WordOf<["fp32", "tf32", "fp16", "bf16"]>,
    [Taken<[GemmSimt, GemmVector, ConvSimt], WordOf<["fp32"]>>,
     Taken<gemmWarps # [GemmStream, ConvMmaSync, AttentionMmaSync], WordOf<["tf32", "fp16", "bf16"]>>,
     Taken<[GemmWgmma, GemmCluster, ConvImplicit, ConvHalo], WordOf<["tf32", "fp16", "bf16"]>>,
     Taken<[ConvWgmma, AttentionSplit, AttentionWgmma], WordOf<["fp16", "bf16"]>>],
    "element type of the products' operands, within the precision class"> {
  let Also = [MmaDirective];
}

def FastMathDirective : Directive<"FastMathOp", "fast_math", "D", "on">;
def FastMathKey : Key<"fast_math", FastMathDirective, OnOff,
    [Taken<[RowRegisters], OnOff, ["on"]>, Taken<[RowReread, RowSplit, RowStream] # rowRings>],
    "approximate exp, division and square root">;

//===----------------------------------------------------------------------===//
// Memory and latency
//===----------------------------------------------------------------------===//

def PipelineDirective : Directive<"PipelineOp", "pipeline", "A", "cp_async stages = 4">;
def PipelineKey : Key<"pipeline", PipelineDirective, WordOf<["cp_async", "tma"]>,
    [Taken<gemmBlocks # [GemmStream] # convBlocks, WordOf<["cp_async"]>>, Taken<[GemmWgmma, GemmCluster, ConvImplicit, AttentionWgmma], WordOf<["tma"]>>],
    "how the next tile travels; tma is a warp that copies by tensor map">;
def StagesKey : Key<"stages", PipelineDirective, IntFrom<2, 8>,
    [Taken<gemmBlocks # convBlocks # [GemmStream, GemmWgmma, GemmCluster, ConvImplicit, ConvHalo, AttentionMmaSync, AttentionWgmma]>,
     Taken<[ConvWgmma], IntFrom<2, 8>, ["6", "5", "8"]>],
    "shared-memory buffers of the main loop"> {
  let Neighbours = [1, 2, 3, 4, 5, 6];
}

def Im2colDirective : Directive<"Im2colOp", "im2col", "M", "raw_smem slab_channels = 3">;
def Im2colKey : Key<"im2col", Im2colDirective, WordOf<["raw_smem", "halo"]>,
    [Taken<convBlocks # [ConvWgmma], WordOf<["raw_smem"]>>, Taken<[ConvHalo], WordOf<["halo"]>>],
    "how a convolution forms the matrix of its pixels: from the image in shared memory, or, with halo, as a box of pixels "
    "that every tap shifts over">;
def SlabChannelsKey : Key<"slab_channels", Im2colDirective, IntFrom<1, 4096>, [Taken<convBlocks>],
    "input channels of a convolution that shared memory holds at a time">;
def ChunkKey : Key<"chunk", Im2colDirective, IntsFrom<3, 3, 1, 8>,
    [Taken<[ConvWgmma], IntsOf<[IntOf<[1, 2, 4, 8]>, IntOf<[1, 2, 4, 8]>, IntOf<[1, 2, 4, 8]>]>>],
    "channels, rows and columns of the 16 bytes that a convolution's operands come in">;

def VecDirective : Directive<"VecOp", "vec", "M", "4">;
def VecKey : Key<"vec", VecDirective, IntOf<[1, 2, 4, 8, 16]>,
    [Taken<gemmBlocks # [ConvDepthwise] # rows # [PointwisePacks, ScanBlocks] # gathers>],
    "elements of one global memory access; at most 16 bytes"> {
  let Neighbours = [1, 2, 4, 8];
}

def SmemLayoutDirective : Directive<"SmemLayoutOp", "smem_layout", "M", "smem_pad = 8"> {
  let FirstIsBare = 0;
}
def SmemPadKey : Key<"smem_pad", SmemLayoutDirective, IntFrom<0, 64>,
    [Taken<gemmWarps, IntFrom<0, 64, 4>>, MayTake<convBlocks, IntFrom<0, 64, 4>>],
    "elements of padding after each row of a shared-memory tile"> {
  let Neighbours = [0, 4, 8, 16];
}

def CacheHintDirective : Directive<"CacheHintOp", "cache_hint", "M", "streaming">;
def CacheHintKey : Key<"cache_hint", CacheHintDirective, WordOf<["none", "streaming"]>,
    [Taken<[RowRegisters], WordOf<["none", "streaming"]>, ["none", "streaming"]>,
     Taken<[RowReread, RowSplit, RowStream] # rowRings # [PointwisePacks, ScanBlocks] # gathers>],
    "cache policy of loads and stores that are used once">;

def L2PromotionKey : Key<"l2_promotion", CacheHintDirective, IntOf<[0, 64, 128, 256]>, [MayTake<[GemmWgmma, GemmCluster, ConvImplicit]>],
    "bytes that the L2 cache fetches at least for each piece that a copy by tensor map reads; 0 leaves it to the card, "
    "256 unless set"> {
  let Neighbours = [0, 64, 128, 256];
}

//===----------------------------------------------------------------------===//
// Rows
//===----------------------------------------------------------------------===//

def ResidentDirective : Directive<"ResidentOp", "resident", "P", "smem">;
def ResidentKey : Key<"resident", ResidentDirective, WordOf<["reg", "smem", "hybrid", "cluster", "grid", "none"]>,
    [Taken<[RowRegisters], WordOf<["reg"]>>, Taken<[RowReread, RowSplit, PoolWindows], WordOf<["none"]>>,
     Taken<[RowStream], WordOf<["smem", "hybrid"]>>, Taken<[PoolRows], WordOf<["smem"]>>, Taken<[RowCluster], WordOf<["cluster"]>>,
     Taken<[RowGrid], WordOf<["grid"]>>],
    "where a row stays between its passes, or between the windows that share it; hybrid is shared memory, then registers; cluster and grid are the shared "
    "memories of split_rows blocks">;
def ColumnPacksKey : Key<"column_packs", ResidentDirective, IntFrom<0, 64>, [Taken<rowRings>],
    "packs of a batch whose weights and biases a thread keeps in registers for all rows"> {
  let Neighbours = [0, 1, 2, 3, 4];
}
def LeadKey : Key<"lead", ResidentDirective, IntFrom<0, 64>,
    [Taken<[RowGrid], IntFrom<0, 64>, ["3", "4", "2"]>, Taken<[RowCluster], IntFrom<0, 64>, ["2", "4"]>],
    "batches of a row that are written before the next row's statistic is taken"> {
  let Neighbours = [0, 1, 2, 3, 4, 5, 6, 7, 8];
}

def ReduceDirective : Directive<"ReduceOp", "reduce", "C", "online">;
def ReduceKey : Key<"reduce", ReduceDirective, WordOf<["shfl", "online", "two_pass", "welford"]>,
    [Taken<[RowRegisters]>,
     Taken<[RowReread, RowSplit, RowStream] # rowRings, WordOf<["shfl", "online", "welford"]>>,
     Taken<[AttentionSimt, AttentionMmaSync, AttentionSplit, AttentionWgmma], WordOf<["online"]>>],
    "how a row is reduced">;
def LazyKey : Key<"lazy", ReduceDirective, OnOff, [Taken<[AttentionWgmma]>],
    "whether an attention kernel keeps the shift of its exponentials until they grow too large">;

def ThreadsPerRowDirective : Directive<"ThreadsPerRowOp", "threads_per_row", "P", "128">;
def ThreadsPerRowKey : Key<"threads_per_row", ThreadsPerRowDirective,
    IntOf<[1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 768, 1024]>,
    [Taken<[RowRegisters, RowReread, GatherRows]>,
     Taken<[RowSplit], IntOf<[32, 64, 128, 256, 512, 768, 1024]>>,
     Taken<[RowStream] # rowRings, IntOf<[64, 128, 256, 512, 768, 1024]>>],
    "threads that share one row"> {
  let Neighbours = [1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 768, 1024];
}

def RowsPerBlockDirective : Directive<"RowsPerBlockOp", "rows_per_block", "P", "4">;
def RowsPerBlockKey : Key<"rows_per_block", RowsPerBlockDirective, IntFrom<1, 1024>,
    [Taken<[RowRegisters, RowReread, RowSplit]>, Taken<[RowStream] # rowRings, IntFrom<1, 1>>,
     Taken<[GemmVector], IntFrom<1, 16>, ["8", "2"]>],
    "rows of one block; lines of a matrix that vectors multiply"> {
  let Neighbours = [1, 2, 4, 8, 16, 32, 64, 128];
}

def SplitRowsDirective : Directive<"SplitRowsOp", "split_rows", "P", "8">;
def SplitRowsKey : Key<"split_rows", SplitRowsDirective, IntFrom<1, 1024>,
    [Taken<[RowReread], IntFrom<1, 1>>, Taken<[RowSplit], IntFrom<2, 1024>>,
     Taken<[RowStream], IntFrom<1, 1>>, Taken<[RowRegisters, RowCluster], IntFrom<1, 8>>, Taken<[RowGrid]>],
    "blocks that share one row"> {
  let Neighbours = [1, 2, 4, 8, 16, 32, 64, 128, 256];
}

//===----------------------------------------------------------------------===//
// Parallelism
//===----------------------------------------------------------------------===//

def CoarsenDirective : Directive<"CoarsenOp", "coarsen", "P", "4">;
def CoarsenKey : Key<"coarsen", CoarsenDirective, IntFrom<1, 64>,
    [Taken<[PointwisePacks, PoolWindows, PoolRows, GatherElements]>],
    "outputs of one thread"> {
  let Neighbours = [1, 2, 4, 8, 16, 32];
}

def OccupancyDirective : Directive<"OccupancyOp", "occupancy", "P", "block = 256"> {
  let FirstIsBare = 0;
}
def BlockKey : Key<"block", OccupancyDirective, IntFrom<32, 1024, 32>,
    [Taken<[ConvDepthwise, PointwisePacks, PoolWindows, PoolRows, ScanBlocks] # gathers>,
     Taken<[AttentionSplit], IntFrom<32, 512, 32>>],
    "threads of a block"> {
  let Neighbours = [32, 64, 128, 256, 512, 1024];
}
def MinBlocksKey : Key<"min_blocks", OccupancyDirective, IntFrom<1, 32>,
    [Taken<gemmBlocks # convBlocks # [GemmStream, ConvDepthwise, ConvImplicit] # rows>],
    "resident blocks per multiprocessor that the launch bounds promise"> {
  let Neighbours = [1, 2, 3, 4, 6, 8];
}

def RasterDirective : Directive<"RasterOp", "raster", "P", "8">;
def RasterKey : Key<"raster", RasterDirective, IntFrom<1, 64>, [Taken<gemmBlocks # [GemmWgmma]>],
    "tiles of one group in the block order"> {
  let Neighbours = [1, 2, 4, 8, 16, 32];
}

def SplitKDirective : Directive<"SplitKOp", "split_k", "P", "4">;
def SplitKKey : Key<"split_k", SplitKDirective, IntFrom<1, 64>,
    [Taken<gemmBlocks # [GemmVector, GemmWgmma, ConvImplicit]>, Taken<[GemmCluster], IntFrom<1, 8>>],
    "grid partitions of the contraction"> {
  let Neighbours = [1, 2, 4, 8, 16];
}

def SplitKeysDirective : Directive<"SplitKeysOp", "split_keys", "P", "8 split_at = cluster">;
def SplitKeysKey : Key<"split_keys", SplitKeysDirective, IntFrom<1, 64>, [Taken<[AttentionSplit]>],
    "blocks that share the keys of an attention's few queries"> {
  let Neighbours = [1, 2, 4, 8, 16, 32];
}

def SplitAtKey : Key<"split_at", SplitKDirective, WordOf<["cluster"]>, [Taken<[GemmCluster]>, MayTake<[AttentionSplit]>],
    "where the partitions are added, if not by a second kernel: in the shared memory of a cluster"> {
  let Also = [SplitKeysDirective];
}

def ClusterDirective : Directive<"ClusterOp", "cluster", "P", "2">;
def ClusterKey : Key<"cluster", ClusterDirective, IntOf<[1, 2, 4, 8]>, [Taken<[GemmWgmma, GemmCluster]>],
    "blocks of a cluster, which share tiles by multicast"> {
  let Neighbours = [1, 2, 4];
}

def SpecializeDirective : Directive<"SpecializeOp", "specialize", "A", "2 pingpong = on overlap = off">;
def ConsumersKey : Key<"consumers", SpecializeDirective, IntFrom<1, 4>,
    [Taken<[GemmWgmma, GemmCluster, ConvImplicit, ConvWgmma, AttentionWgmma], IntFrom<1, 3>>, MayTake<[ConvHalo]>],
    "warpgroups that compute, beside those that copy"> {
  let Neighbours = [1, 2, 3, 4];
}
def PingpongKey : Key<"pingpong", SpecializeDirective, OnOff, [Taken<[AttentionWgmma]>],
    "whether the warpgroups of an attention kernel take turns at the tensor cores">;
def OverlapKey : Key<"overlap", SpecializeDirective, OnOff, [Taken<[GemmWgmma, AttentionWgmma]>],
    "whether an attention kernel computes exponentials beside the product of the tile before, and a warpgroup product "
    "stores results beside the next tile's products">;
def ProducerWarpsKey : Key<"producer_warps", SpecializeDirective, IntFrom<1, 8>,
    [Taken<[ConvWgmma], IntFrom<1, 8>, ["2", "4"]>, MayTake<[ConvHalo], IntFrom<4, 8, 4>>],
    "warps of a convolution that load, for each warpgroup that multiplies or, with im2col = halo, for all"> {
  let Neighbours = [1, 2, 4, 8];
}

def RegSplitDirective : Directive<"RegSplitOp", "reg_split", "A", "[40, 232]">;
def RegSplitKey : Key<"reg_split", RegSplitDirective, IntsFrom<2, 2, 24, 256>,
    [Taken<[GemmWgmma], IntsOf<[IntFrom<24, 256, 8>, IntFrom<24, 256, 8>]>>],
    "registers of a copying and of a computing thread; multiples of 8">;

def MmaInflightDirective : Directive<"MmaInflightOp", "mma_inflight", "A", "1">;
def MmaInflightKey : Key<"mma_inflight", MmaInflightDirective, IntFrom<0, 1>,
    [Taken<[ConvWgmma], IntFrom<0, 1>, ["1"]>, Taken<[GemmWgmma, ConvImplicit, ConvHalo]>],
    "stages whose products run while the next stage is waited for"> {
  let Neighbours = [0, 1];
}

def PersistentDirective : Directive<"PersistentOp", "persistent", "P", "static">;
def PersistentKey : Key<"persistent", PersistentDirective, WordOf<["none", "static"]>,
    [Taken<[GemmStream], WordOf<["static"]>>, Taken<[GemmWgmma]>],
    "blocks that stay and walk over the tiles">;
def BlocksKey : Key<"blocks", PersistentDirective, IntFrom<1, 4096>, [Taken<[ConvWgmma]>],
    "blocks of a persistent kernel, which share all of the work">;

def ConvertAtDirective : Directive<"ConvertAtOp", "convert_at", "D", "prepass">;
def ConvertAtKey : Key<"convert_at", ConvertAtDirective, WordOf<["prepass", "registers"]>, [MayTake<[GemmWgmma]>],
    "where fp32 operands become what tensor cores take: 16-bit ones, scaled by powers of two, or, with dtype = tf32, rows "
    "along k; with registers one operand does on its way to products: f32 across k as tf32, or either as fp16">;

def StoreDirective : Directive<"StoreOp", "store", "M", "tma">;
def StoreKey : Key<"store", StoreDirective, WordOf<["direct", "tma"]>, [Taken<[GemmWgmma]>],
    "how finished tiles leave; tma is through shared memory by tensor map">;

def SplitPrecisionDirective : Directive<"SplitPrecisionOp", "split_precision", "D", "fp16x3 promote_k = 128">;
def SplitPrecisionKey : Key<"split_precision", SplitPrecisionDirective, WordOf<["none", "fp16x3"]>,
    [MayTake<[GemmWgmma]>], "fp32 operands as sums of two 16-bit ones, multiplied in three products">;
def PromoteKKey : Key<"promote_k", SplitPrecisionDirective, IntFrom<0, 4096>, [Taken<[GemmWgmma]>],
    "steps of k that tensor cores sum before an fp32 addition; 0 is all"> {
  let Neighbours = [64, 128, 256];
}

def UnrollDirective : Directive<"UnrollOp", "unroll", "L", "4">;
def UnrollKey : Key<"unroll", UnrollDirective, IntFrom<1, 64>, [Taken<rows # [ScanBlocks, GatherRows]>],
    "unroll factor of the innermost loop"> {
  let Neighbours = [1, 2, 4, 8, 16];
}

#endif // KGEN_SCHEDULE_SCHEDULEKEYS
