# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Models of public packages other than transformers: tiny configurations, random weights, nothing downloaded.

PACKAGES are installed with `pip install --no-deps --target FOLDER`, and FOLDER is put on the PYTHONPATH; scripts/check_models.py --public tries
all whose package is there. torchvision, which some import for their data sets, is replaced by an empty package where it is missing.
"""
import enum
import importlib
import importlib.abc
import importlib.machinery
import importlib.util
import sys
import types
import warnings

import torch

#: What pip installs, with what these import.
PACKAGES = ("einops diffusers x-transformers vit-pytorch timm segmentation-models-pytorch performer-pytorch torch-geometric open-clip-torch pytorch-tcn tab-transformer-pytorch "
            "local-attention reformer-pytorch nystrom-attention perceiver-pytorch efficientnet-pytorch pytorchcv vector-quantize-pytorch monai pytorch-tabnet "
            "linear-attention-transformer conformer rotary-embedding-torch mambapy axial-positional-embedding product-key-memory asteroid-filterbanks requests loguru pillow "
            "hyper-connections xxhash x-mlps-pytorch einx ftfy psutil aiohttp urllib3 charset-normalizer certifi importlib-metadata zipp colt5-attention torch-einops-utils pyparsing "
            "scipy frozendict wcwidth beartype linformer").split()


class _Missing(types.ModuleType):
    """A module whose names are all empty classes."""

    __path__, __version__ = [], "0.0"

    def __getattr__(self, name):
        if name.startswith("__"):
            raise AttributeError(name)
        if name == "InterpolationMode":
            return enum.Enum(name, "NEAREST NEAREST_EXACT BILINEAR BICUBIC BOX HAMMING LANCZOS")
        return type(name, (), {"__init__": lambda self, *arguments, **keywords: None})


class _MissingFinder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        return importlib.machinery.ModuleSpec(name, self, is_package=True) if name.partition(".")[0] == "torchvision" else None

    def create_module(self, spec):
        return _Missing(spec.name)

    def exec_module(self, module):
        pass


def drawn(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1))


def ids(vocabulary, *shape):
    return torch.randint(0, vocabulary, shape, generator=torch.Generator().manual_seed(1))


def image(size=32, channels=3):
    return lambda: {"": (drawn(2, channels, size, size),)}


#: name: (module, function of it that makes the model, function to its keyword arguments; those under "" are positional)
PUBLIC = {}


def public(name, module, make, arguments):
    PUBLIC[name] = (module, make, arguments)


# diffusers
_BLOCKS = {"sample_size": 16, "layers_per_block": 1, "block_out_channels": (8, 16), "norm_num_groups": 4}
_T2I = {"num_attention_heads": 2, "attention_head_dim": 8, "num_layers": 1, "sample_size": 8, "patch_size": 2, "in_channels": 4}


def _latents(**more):
    return lambda: {"": (drawn(2, 4, 8, 8),), "timestep": torch.tensor([3, 9]), "return_dict": False, **{key: value() for key, value in more.items()}}


public("diffusers.UNet2DModel", "diffusers", lambda d: d.UNet2DModel(
    in_channels=3, out_channels=3, down_block_types=("DownBlock2D", "AttnDownBlock2D"), up_block_types=("AttnUpBlock2D", "UpBlock2D"), attention_head_dim=4, **_BLOCKS),
    lambda: {"": (drawn(2, 3, 16, 16), 7)})
public("diffusers.UNet2DConditionModel", "diffusers", lambda d: d.UNet2DConditionModel(
    in_channels=4, out_channels=4, down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), up_block_types=("UpBlock2D", "CrossAttnUpBlock2D"), cross_attention_dim=16,
    attention_head_dim=4, **_BLOCKS), _latents(encoder_hidden_states=lambda: drawn(2, 5, 16)))
public("diffusers.AutoencoderKL", "diffusers", lambda d: d.AutoencoderKL(
    down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2, block_out_channels=(8, 16), layers_per_block=1, norm_num_groups=4), image(16))
public("diffusers.VQModel", "diffusers", lambda d: d.VQModel(
    down_block_types=("DownEncoderBlock2D",) * 2, up_block_types=("UpDecoderBlock2D",) * 2, block_out_channels=(8, 16), norm_num_groups=4, num_vq_embeddings=16), image(16))
public("diffusers.AutoencoderTiny", "diffusers", lambda d: d.AutoencoderTiny(
    encoder_block_out_channels=(8, 8), decoder_block_out_channels=(8, 8), num_encoder_blocks=(1, 1), num_decoder_blocks=(1, 1)), image(16))
public("diffusers.AutoencoderDC", "diffusers", lambda d: d.AutoencoderDC(
    in_channels=3, latent_channels=4, attention_head_dim=2, encoder_block_types=("ResBlock", "EfficientViTBlock"), decoder_block_types=("ResBlock", "EfficientViTBlock"),
    encoder_block_out_channels=(8, 8), decoder_block_out_channels=(8, 8), encoder_qkv_multiscales=((), (5,)), decoder_qkv_multiscales=((), (5,)), encoder_layers_per_block=(1, 1),
    decoder_layers_per_block=(1, 1), downsample_block_type="conv", upsample_block_type="interpolate", decoder_norm_types="rms_norm", decoder_act_fns="silu"), image(16))
public("diffusers.AutoencoderKLWan", "diffusers", lambda d: d.AutoencoderKLWan(base_dim=8, z_dim=4, dim_mult=[1, 1, 1, 1], num_res_blocks=1, temperal_downsample=[False, True, True]),
       lambda: {"": (drawn(1, 3, 1, 16, 16),)})
public("diffusers.Transformer2DModel", "diffusers", lambda d: d.Transformer2DModel(
    num_attention_heads=2, attention_head_dim=8, in_channels=8, norm_num_groups=4, cross_attention_dim=16), lambda: {"": (drawn(2, 8, 8, 8),), "encoder_hidden_states": drawn(2, 5, 16)})
public("diffusers.DiTTransformer2DModel", "diffusers", lambda d: d.DiTTransformer2DModel(**_T2I, num_embeds_ada_norm=10, out_channels=8),
       _latents(class_labels=lambda: torch.tensor([1, 2])))
public("diffusers.PixArtTransformer2DModel", "diffusers", lambda d: d.PixArtTransformer2DModel(**_T2I, cross_attention_dim=16, caption_channels=12, out_channels=8, use_additional_conditions=False),
       _latents(encoder_hidden_states=lambda: drawn(2, 5, 12), added_cond_kwargs=lambda: {"resolution": None, "aspect_ratio": None}))
public("diffusers.SD3Transformer2DModel", "diffusers", lambda d: d.SD3Transformer2DModel(
    sample_size=8, patch_size=2, in_channels=4, num_layers=2, attention_head_dim=8, num_attention_heads=2, joint_attention_dim=16, caption_projection_dim=16, pooled_projection_dim=12,
    out_channels=4, pos_embed_max_size=8), _latents(encoder_hidden_states=lambda: drawn(2, 5, 16), pooled_projections=lambda: drawn(2, 12)))
public("diffusers.FluxTransformer2DModel", "diffusers", lambda d: d.FluxTransformer2DModel(
    patch_size=1, in_channels=4, num_layers=1, num_single_layers=1, attention_head_dim=16, num_attention_heads=2, joint_attention_dim=16, pooled_projection_dim=12, axes_dims_rope=(4, 4, 8)),
    lambda: {"hidden_states": drawn(2, 16, 4), "encoder_hidden_states": drawn(2, 5, 16), "pooled_projections": drawn(2, 12), "timestep": torch.tensor([0.3, 0.7]),
             "img_ids": torch.stack(torch.meshgrid(torch.zeros(1), torch.arange(4.0), torch.arange(4.0), indexing="ij"), -1).reshape(16, 3), "txt_ids": torch.zeros(5, 3)})
public("diffusers.SanaTransformer2DModel", "diffusers", lambda d: d.SanaTransformer2DModel(
    in_channels=4, out_channels=4, num_attention_heads=2, attention_head_dim=8, num_layers=1, num_cross_attention_heads=2, cross_attention_head_dim=8, cross_attention_dim=16,
    caption_channels=12, sample_size=8, patch_size=1), _latents(encoder_hidden_states=lambda: drawn(2, 5, 12)))
public("diffusers.AuraFlowTransformer2DModel", "diffusers", lambda d: d.AuraFlowTransformer2DModel(
    sample_size=8, patch_size=2, in_channels=4, num_mmdit_layers=1, num_single_dit_layers=1, attention_head_dim=8, num_attention_heads=2, joint_attention_dim=16, caption_projection_dim=16,
    out_channels=4, pos_embed_max_size=16), lambda: {"": (drawn(2, 4, 8, 8),), "encoder_hidden_states": drawn(2, 5, 16), "timestep": torch.tensor([0.3, 0.7])})
public("diffusers.WanTransformer3DModel", "diffusers", lambda d: d.WanTransformer3DModel(
    patch_size=(1, 2, 2), num_attention_heads=2, attention_head_dim=12, in_channels=4, out_channels=4, text_dim=16, freq_dim=16, ffn_dim=32, num_layers=1, rope_max_seq_len=32),
    lambda: {"": (drawn(1, 4, 2, 8, 8),), "timestep": torch.tensor([3]), "encoder_hidden_states": drawn(1, 5, 16)})
public("diffusers.LTXVideoTransformer3DModel", "diffusers", lambda d: d.LTXVideoTransformer3DModel(
    in_channels=4, out_channels=4, num_attention_heads=2, attention_head_dim=8, cross_attention_dim=16, num_layers=1, caption_channels=12),
    lambda: {"hidden_states": drawn(1, 16, 4), "encoder_hidden_states": drawn(1, 5, 12), "timestep": torch.tensor([3]), "encoder_attention_mask": torch.ones(1, 5), "num_frames": 1,
             "height": 4, "width": 4})
public("diffusers.ControlNetModel", "diffusers", lambda d: d.ControlNetModel(
    in_channels=4, down_block_types=("CrossAttnDownBlock2D", "DownBlock2D"), block_out_channels=(8, 16), layers_per_block=1, norm_num_groups=4, cross_attention_dim=16, attention_head_dim=4,
    conditioning_embedding_out_channels=(8, 8)), _latents(encoder_hidden_states=lambda: drawn(2, 5, 16), controlnet_cond=lambda: drawn(2, 3, 16, 16)))
# x-transformers
_LAYERS = {"dim": 32, "depth": 2, "heads": 4, "attn_dim_head": 8}
for _name, _more in {
        "plain": {}, "rotary_rmsnorm_swiglu": {"rotary_pos_emb": True, "use_rmsnorm": True, "ff_glu": True, "ff_swish": True}, "alibi": {"alibi_pos_bias": True},
        "t5_bias": {"rel_pos_bias": True}, "grouped_queries": {"attn_kv_heads": 2}, "qk_norm": {"attn_qk_norm": True},
        "memory_keys": {"attn_num_mem_kv": 3}, "relu_squared": {"ff_relu_squared": True, "sandwich_norm": True}, "gate_residual": {"gate_residual": True, "shift_tokens": 1},
        "dynamic_bias": {"dynamic_pos_bias": True}, "sparse_topk": {"attn_sparse_topk": 3}}.items():
    public(f"x_transformers.Decoder ({_name})", "x_transformers", lambda x, more=_more: x.TransformerWrapper(num_tokens=50, max_seq_len=16, attn_layers=x.Decoder(**_LAYERS, **more)),
           lambda: {"": (ids(50, 2, 12),)})
public("x_transformers.Encoder", "x_transformers", lambda x: x.ContinuousTransformerWrapper(dim_in=6, dim_out=5, max_seq_len=16, attn_layers=x.Encoder(**_LAYERS)), lambda: {
    "": (drawn(2, 12, 6),), "mask": torch.arange(12)[None] < torch.tensor([[12], [9]])})
public("x_transformers.ViTransformerWrapper", "x_transformers", lambda x: x.ViTransformerWrapper(image_size=32, patch_size=8, num_classes=10, attn_layers=x.Encoder(**_LAYERS)), image())
# vit-pytorch
_VIT = {"image_size": 32, "patch_size": 8, "num_classes": 10, "dim": 32, "depth": 2, "heads": 4, "mlp_dim": 48}
for _path, _kind, _arguments in (
        ("vit", "ViT", _VIT), ("simple_vit", "SimpleViT", _VIT), ("deepvit", "DeepViT", _VIT), ("cait", "CaiT", {**_VIT, "cls_depth": 1, "dropout": 0.0}), ("rvt", "RvT", _VIT),
        ("parallel_vit", "ViT", _VIT), ("vit_for_small_dataset", "ViT", _VIT), ("simple_vit_with_register_tokens", "SimpleViT", _VIT),
        ("pit", "PiT", {**_VIT, "depth": (1, 1)}), ("t2t", "T2TViT", {"image_size": 32, "dim": 32, "depth": 1, "heads": 4, "mlp_dim": 48, "num_classes": 10, "t2t_layers": ((7, 4), (3, 2))}),
        ("cvt", "CvT", {"num_classes": 10, "s1_emb_dim": 8, "s2_emb_dim": 8, "s3_emb_dim": 16, "s1_heads": 1, "s2_heads": 1, "s3_heads": 2, "s2_depth": 1, "s3_depth": 1}),
        ("mobile_vit", "MobileViT", {"image_size": (64, 64), "dims": [16, 16, 16], "channels": [8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 16], "num_classes": 10}),
        ("cross_vit", "CrossViT", {"image_size": 32, "num_classes": 10, "sm_dim": 16, "lg_dim": 24, "sm_patch_size": 8, "lg_patch_size": 16, "sm_enc_depth": 1, "lg_enc_depth": 1, "depth": 1}),
        ("max_vit", "MaxViT", {"num_classes": 10, "dim": 8, "depth": (1, 1), "dim_head": 8, "window_size": 4, "dim_conv_stem": 8}),
        ("nest", "NesT", {"image_size": 32, "patch_size": 4, "dim": 8, "heads": 2, "num_hierarchies": 3, "block_repeats": (1, 1, 1), "num_classes": 10}),
        ("xcit", "XCiT", {**_VIT, "cls_depth": 1}), ("twins_svt", "TwinsSVT", {"num_classes": 10, "s1_emb_dim": 8, "s1_local_patch_size": 4, "s1_global_k": 4, "s2_emb_dim": 8, "s2_local_patch_size": 4,
                                                               "s2_global_k": 4, "s3_emb_dim": 8, "s3_local_patch_size": 2, "s3_global_k": 2, "s4_emb_dim": 8, "s4_local_patch_size": 1, "s4_global_k": 1,
                                                               "s3_depth": 1}),
        ("regionvit", "RegionViT", {"num_classes": 10, "dim": (8, 8, 16, 16), "depth": (1, 1, 1, 1), "window_size": 2, "local_patch_size": 4}),
        ("levit", "LeViT", {"image_size": 64, "num_classes": 10, "dim": (16, 16, 16), "depth": 1, "heads": (2, 2, 2), "mlp_mult": 2})):
    public(f"vit_pytorch.{_path}.{_kind}", f"vit_pytorch.{_path}", lambda v, kind=_kind, arguments=_arguments: getattr(v, kind)(**arguments), image(64 if _kind in (
        "TwinsSVT", "MobileViT", "RegionViT", "LeViT") else 32))
public("vit_pytorch.vivit.ViViT", "vit_pytorch.vivit", lambda v: v.ViViT(image_size=16, frames=4, image_patch_size=8, frame_patch_size=2, num_classes=10, dim=32, spatial_depth=1, temporal_depth=1,
                                                                      heads=4, mlp_dim=48), lambda: {"": (drawn(2, 3, 4, 16, 16),)})
# timm
for _kind, _arguments, _size in (
        ("resnet18", {}, 64), ("resnext50_32x4d", {}, 64), ("convnext_atto", {}, 64), ("efficientnet_b0", {}, 64), ("mobilenetv3_small_050", {}, 64), ("mobilenetv4_conv_small_035", {}, 64),
        ("ghostnet_050", {}, 64), ("regnetx_002", {}, 64), ("densenet121", {"growth_rate": 8, "block_config": (2, 2, 2, 2)}, 64), ("mixer_s32_224", {"img_size": 64}, 64),
        ("vit_tiny_patch16_224", {"img_size": 64, "depth": 2}, 64), ("deit3_small_patch16_224", {"img_size": 64, "depth": 2}, 64), ("eva02_tiny_patch14_224", {"img_size": 56, "depth": 2}, 56),
        ("swin_tiny_patch4_window7_224", {"img_size": 56, "embed_dim": 24, "depths": (1, 1, 1, 1), "num_heads": (1, 2, 4, 8)}, 56), ("coatnet_nano_rw_224", {"img_size": 64}, 64),
        ("maxvit_rmlp_pico_rw_256", {"img_size": 64}, 64), ("poolformer_s12", {}, 64), ("caformer_s18", {}, 64), ("beit_base_patch16_224", {"img_size": 32, "depth": 1}, 32), ("xcit_nano_12_p16_224", {}, 64),
        ("edgenext_xx_small", {}, 64), ("repvgg_a0", {}, 64), ("hrnet_w18_small", {}, 64), ("inception_v4", {}, 96), ("nfnet_l0", {}, 64), ("volo_d1_224", {"img_size": 64}, 64),
        ("fastvit_t8", {}, 64), ("mambaout_femto", {}, 64), ("vitamin_small_224", {"img_size": 64}, 64), ("naflexvit_base_patch16_gap", {"img_size": 32, "depth": 1}, 32)):
    public(f"timm.{_kind}", "timm", lambda t, kind=_kind, arguments=_arguments: t.create_model(kind, pretrained=False, num_classes=10, **arguments), image(_size))
# Segmentation
for _kind in ("Unet", "UnetPlusPlus", "MAnet", "Linknet", "FPN", "PSPNet", "DeepLabV3", "DeepLabV3Plus", "UPerNet", "Segformer"):
    public(f"segmentation_models_pytorch.{_kind}", "segmentation_models_pytorch", lambda s, kind=_kind: getattr(s, kind)(
        "mit_b0" if kind in ("Segformer", "UPerNet", "FPN", "Unet") else "efficientnet-b0", encoder_weights=None, classes=3), image(64))
# monai
public("monai.UNet", "monai.networks.nets", lambda m: m.UNet(spatial_dims=3, in_channels=1, out_channels=2, channels=(4, 8, 16), strides=(2, 2), num_res_units=1), lambda: {"": (drawn(1, 1, 16, 16, 16),)})
public("monai.SegResNet", "monai.networks.nets", lambda m: m.SegResNet(init_filters=8, blocks_down=(1, 1), blocks_up=(1,)), lambda: {"": (drawn(1, 1, 16, 16, 16),)})
public("monai.UNETR", "monai.networks.nets", lambda m: m.UNETR(1, 2, (32, 32, 32), feature_size=4, hidden_size=24, mlp_dim=32, num_heads=3), lambda: {"": (drawn(1, 1, 32, 32, 32),)})
public("monai.BasicUNetPlusPlus", "monai.networks.nets", lambda m: m.BasicUNetPlusPlus(2, 1, 2, features=(4, 4, 8, 8, 16, 4)), lambda: {"": (drawn(1, 1, 32, 32),)})
public("monai.DynUNet", "monai.networks.nets", lambda m: m.DynUNet(2, 1, 2, [3, 3, 3], [1, 2, 2], [2, 2], filters=[4, 8, 8]), lambda: {"": (drawn(1, 1, 32, 32),)})
public("monai.HighResNet", "monai.networks.nets", lambda m: m.HighResNet(2, 1, 2), lambda: {"": (drawn(1, 1, 16, 16),)})
# Others
public("open_clip.CLIP", "open_clip.model", lambda o: o.CLIP(16, o.CLIPVisionCfg(layers=1, width=32, head_width=8, image_size=32, patch_size=8),
                                                             o.CLIPTextCfg(context_length=12, vocab_size=50, width=32, heads=4, layers=1)), lambda: {"": (drawn(2, 3, 32, 32), ids(50, 2, 12))})
public("performer_pytorch.PerformerLM", "performer_pytorch", lambda p: p.PerformerLM(num_tokens=50, max_seq_len=16, dim=32, depth=1, heads=4, dim_head=8, causal=False), lambda: {"": (ids(50, 2, 16),)})
public("performer_pytorch.Performer", "performer_pytorch", lambda p: p.Performer(dim=32, depth=2, heads=4, dim_head=8), lambda: {"": (drawn(2, 16, 32),)})
public("linear_attention_transformer", "linear_attention_transformer", lambda p: p.LinearAttentionTransformerLM(num_tokens=50, dim=32, heads=4, depth=1, max_seq_len=16), lambda: {"": (ids(50, 2, 16),)})
public("local_attention.LocalTransformer", "local_attention", lambda p: p.LocalTransformer(num_tokens=50, dim=32, depth=1, max_seq_len=32, local_attn_window_size=8, heads=4, dim_head=8, causal=True),
       lambda: {"": (ids(50, 2, 32),)})
public("linformer.LinformerLM", "linformer", lambda p: p.LinformerLM(num_tokens=50, dim=32, seq_len=16, depth=1, heads=4, k=8), lambda: {"": (ids(50, 2, 16),)})
public("nystrom_attention.Nystromformer", "nystrom_attention", lambda p: p.Nystromformer(dim=32, depth=1, heads=4, dim_head=8, num_landmarks=4), lambda: {"": (drawn(2, 16, 32),)})
public("reformer_pytorch.LSHAttention", "reformer_pytorch", lambda p: p.LSHSelfAttention(dim=32, heads=4, bucket_size=4, n_hashes=2), lambda: {"": (drawn(2, 16, 32),)})
public("perceiver_pytorch.Perceiver", "perceiver_pytorch", lambda p: p.Perceiver(
    input_channels=3, input_axis=2, num_freq_bands=2, max_freq=4.0, depth=1, num_latents=6, latent_dim=16, cross_heads=1, latent_heads=2, cross_dim_head=8, latent_dim_head=8, num_classes=10),
    lambda: {"": (drawn(2, 8, 8, 3),)})
public("efficientnet_pytorch.EfficientNet", "efficientnet_pytorch", lambda p: p.EfficientNet.from_name("efficientnet-b0", num_classes=10), image(64))
for _kind in ("mobilenet_wd4", "shufflenetv2_wd2", "squeezenet_v1_1", "menet108_8x1_g3"):
    public(f"pytorchcv.{_kind}", "pytorchcv.model_provider", lambda p, kind=_kind: p.get_model(kind, pretrained=False), lambda: {"": (drawn(1, 3, 224, 224),)})
public("vector_quantize_pytorch.VectorQuantize", "vector_quantize_pytorch", lambda p: p.VectorQuantize(dim=16, codebook_size=12, decay=0.8), lambda: {"": (drawn(2, 20, 16),)})
public("vector_quantize_pytorch.FSQ", "vector_quantize_pytorch", lambda p: p.FSQ([8, 5, 5]), lambda: {"": (drawn(2, 20, 3),)})
public("vector_quantize_pytorch.ResidualVQ", "vector_quantize_pytorch", lambda p: p.ResidualVQ(dim=16, num_quantizers=3, codebook_size=12), lambda: {"": (drawn(2, 20, 16),)})
public("conformer.Conformer", "conformer", lambda p: p.Conformer(dim=32, depth=1, dim_head=8, heads=4, conv_kernel_size=5), lambda: {"": (drawn(2, 16, 32),)})
public("mambapy.Mamba", "mambapy.mamba", lambda p: p.Mamba(p.MambaConfig(d_model=16, n_layers=2, d_state=4, pscan=False)), lambda: {"": (drawn(2, 9, 16),)})
public("mambapy.Mamba (parallel scan)", "mambapy.mamba", lambda p: p.Mamba(p.MambaConfig(d_model=16, n_layers=2, d_state=4)), lambda: {"": (drawn(2, 8, 16),)})
public("mambapy.Jamba", "mambapy.jamba", lambda p: p.JambaLM(p.JambaLMConfig(
    d_model=16, n_layers=2, mlp_size=24, d_state=4, num_attention_heads=4, num_key_value_heads=2, num_experts=2, num_experts_per_tok=1, vocab_size=50, attn_layer_offset=1, attn_layer_period=2,
    expert_layer_offset=1, expert_layer_period=2, use_cuda=False, pscan=False)), lambda: {"": (ids(50, 2, 8),)})
public("pytorch_tcn.TCN", "pytorch_tcn", lambda p: p.TCN(6, [8, 8], kernel_size=3, dropout=0.1, causal=True, use_norm="weight_norm", use_skip_connections=True), lambda: {"": (drawn(2, 6, 20),)})
public("tab_transformer_pytorch.FTTransformer", "tab_transformer_pytorch", lambda p: p.FTTransformer(
    categories=(5, 4, 3), num_continuous=6, dim=16, dim_out=1, depth=1, heads=2, dim_head=8), lambda: {"": (ids(3, 4, 3), drawn(4, 6))})
public("pytorch_tabnet.TabNet", "pytorch_tabnet.tab_network", lambda p: p.TabNet(6, 3, n_d=4, n_a=4, group_attention_matrix=torch.eye(6)), lambda: {"": (drawn(8, 6),)})
public("asteroid_filterbanks.Encoder", "asteroid_filterbanks", lambda p: p.Encoder(p.FreeFB(8, 6, stride=3)), lambda: {"": (drawn(2, 1, 60),)})
# Graphs
for _kind, _arguments in (("DenseGCNConv", (6, 8)), ("DenseSAGEConv", (6, 8)), ("DenseGATConv", (6, 8, 2)), ("DenseGraphConv", (6, 8))):
    public(f"torch_geometric.{_kind}", "torch_geometric.nn", lambda p, kind=_kind, arguments=_arguments: getattr(p, kind)(*arguments),
           lambda: {"": (drawn(2, 7, 6), (drawn(2, 7, 7) > 0).float())})
for _kind, _arguments in (("GCNConv", (6, 8)), ("GATv2Conv", (6, 8, 2)), ("SAGEConv", (6, 8)), ("TransformerConv", (6, 8, 2)), ("GraphConv", (6, 8))):
    public(f"torch_geometric.{_kind}", "torch_geometric.nn", lambda p, kind=_kind, arguments=_arguments: getattr(p, kind)(*arguments), lambda: {"": (drawn(10, 6), ids(10, 2, 24))})
public("torch_geometric.GIN", "torch_geometric.nn", lambda p: p.GIN(6, 8, 2), lambda: {"": (drawn(10, 6), ids(10, 2, 24))})


def there():
    """The names of PUBLIC whose packages can be imported, {name: why not} of the others."""
    if importlib.util.find_spec("torchvision") is None:
        sys.meta_path.append(_MissingFinder())
    warnings.simplefilter("ignore")
    why = {}
    for module in {entry[0] for entry in PUBLIC.values()}:
        try:
            importlib.import_module(module)
        except Exception as error:  # packages raise anything
            why[module] = f"{type(error).__name__}: {error}"
    return [name for name, entry in PUBLIC.items() if entry[0] not in why], {name: why[entry[0]] for name, entry in PUBLIC.items() if entry[0] in why}


def build_public(name):
    """(the model in evaluation mode with random weights, its positional arguments, its keyword arguments)."""
    warnings.simplefilter("ignore")
    if importlib.util.find_spec("torchvision") is None:
        sys.meta_path.append(_MissingFinder())
    module, make, arguments = PUBLIC[name]
    module = importlib.import_module(module)
    torch.manual_seed(0)
    model, keywords = make(module).eval(), arguments()
    return model, keywords.pop("", ()), keywords
