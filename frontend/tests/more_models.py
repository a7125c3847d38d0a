# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""More models of the transformers package, one class of each family: tiny configurations, random weights, nothing downloaded.

Each is its whole class with its keyword arguments, as models.build_whole gives them. scripts/check_models.py --more tries them all.
"""
import warnings

import torch

SEQUENCE = 12
#: What configurations of text models have in common; those that have another name for it ignore it.
TEXT = {"vocab_size": 96, "hidden_size": 32, "intermediate_size": 48, "num_hidden_layers": 2, "num_attention_heads": 4,
        "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}
DECODER = {**TEXT, "num_key_value_heads": 2, "head_dim": 8}
SEQ2SEQ = {"vocab_size": 96, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
           "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 1,
           "eos_token_id": 2, "decoder_start_token_id": 1, "forced_eos_token_id": None}
IMAGE = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48, "image_size": 32, "patch_size": 8}
AUDIO = {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48, "conv_dim": (16, 16), "conv_stride": (5, 2),
         "conv_kernel": (10, 3), "num_conv_pos_embeddings": 8, "num_conv_pos_embedding_groups": 4, "num_feat_extract_layers": 2}
EXPERTS = {"num_experts": 4, "num_local_experts": 4, "num_experts_per_tok": 2, "moe_intermediate_size": 16}


def ids(batch=2, length=SEQUENCE, vocabulary=96):
    return torch.arange(batch * length).mul(7).remainder(vocabulary - 3).add(3).reshape(batch, length)


def text():
    mask = torch.ones(2, SEQUENCE, dtype=torch.int64)
    mask[-1, SEQUENCE - 3:] = 0
    return {"input_ids": ids(), "attention_mask": mask}


def plain():
    return {"input_ids": ids()}


def pair():
    return {**text(), "decoder_input_ids": ids(length=7)}


def drawn(*shape):
    return torch.randn(*shape, generator=torch.Generator().manual_seed(1))


def image(size=32):
    return lambda: {"pixel_values": drawn(2, 3, size, size)}


def sound():
    return {"input_values": drawn(2, 400)}


#: name: (class, its configuration's arguments, function to its keyword arguments)
MORE = {
    # Decoders of text
    "gemma": ("GemmaForCausalLM", DECODER, text),
    "gemma2": ("Gemma2ForCausalLM", {**DECODER, "query_pre_attn_scalar": 8, "sliding_window": 8}, text),
    "gemma3": ("Gemma3ForCausalLM", {**DECODER, "query_pre_attn_scalar": 8, "sliding_window": 8}, text),
    "mistral": ("MistralForCausalLM", {**DECODER, "sliding_window": 8}, text),
    "qwen2": ("Qwen2ForCausalLM", DECODER, text),
    "qwen2_moe": ("Qwen2MoeForCausalLM", {**DECODER, **EXPERTS, "shared_expert_intermediate_size": 16}, text),
    "qwen3_moe": ("Qwen3MoeForCausalLM", {**DECODER, **EXPERTS}, text),
    "phi": ("PhiForCausalLM", DECODER, text),
    "phi3": ("Phi3ForCausalLM", DECODER, text),
    "opt": ("OPTForCausalLM", {**TEXT, "ffn_dim": 48, "word_embed_proj_dim": 32}, text),
    "falcon": ("FalconForCausalLM", TEXT, text),
    "gpt_neo": ("GPTNeoForCausalLM", {**TEXT, "num_heads": 4, "num_layers": 2, "attention_types": [[["global", "local"], 1]], "window_size": 8}, text),
    "gpt_neox": ("GPTNeoXForCausalLM", TEXT, text),
    "gptj": ("GPTJForCausalLM", {"vocab_size": 96, "n_positions": 64, "n_embd": 32, "n_layer": 2, "n_head": 4, "rotary_dim": 4}, text),
    "gpt_bigcode": ("GPTBigCodeForCausalLM", {"vocab_size": 96, "n_positions": 64, "n_embd": 32, "n_layer": 2, "n_head": 4}, text),
    "codegen": ("CodeGenForCausalLM", {"vocab_size": 96, "n_positions": 64, "n_embd": 32, "n_layer": 2, "n_head": 4, "rotary_dim": 4}, text),
    "ctrl": ("CTRLLMHeadModel", {"vocab_size": 96, "n_positions": 64, "n_embd": 32, "n_layer": 2, "n_head": 4, "dff": 48}, text),
    "bloom": ("BloomForCausalLM", {"vocab_size": 96, "hidden_size": 32, "n_layer": 2, "n_head": 4}, text),
    "mpt": ("MptForCausalLM", {"vocab_size": 96, "d_model": 32, "n_layers": 2, "n_heads": 4, "max_seq_len": 64}, text),
    "stablelm": ("StableLmForCausalLM", DECODER, text),
    "starcoder2": ("Starcoder2ForCausalLM", DECODER, text),
    "persimmon": ("PersimmonForCausalLM", TEXT, text),
    "granite": ("GraniteForCausalLM", DECODER, text),
    "granite_moe": ("GraniteMoeForCausalLM", {**DECODER, **EXPERTS}, text),
    "olmo": ("OlmoForCausalLM", DECODER, text),
    "olmo2": ("Olmo2ForCausalLM", DECODER, text),
    "olmoe": ("OlmoeForCausalLM", {**DECODER, **EXPERTS}, text),
    "cohere": ("CohereForCausalLM", DECODER, text),
    "glm": ("GlmForCausalLM", DECODER, text),
    "smollm3": ("SmolLM3ForCausalLM", DECODER, text),
    "nemotron": ("NemotronForCausalLM", DECODER, text),
    "helium": ("HeliumForCausalLM", DECODER, text),
    "deepseek_v3": ("DeepseekV3ForCausalLM", {**TEXT, "num_key_value_heads": 4, "moe_intermediate_size": 16, "n_routed_experts": 4,
                                              "num_experts_per_tok": 2, "n_group": 2, "topk_group": 1, "kv_lora_rank": 16, "q_lora_rank": 16,
                                              "qk_rope_head_dim": 8, "qk_nope_head_dim": 8, "v_head_dim": 8, "first_k_dense_replace": 1}, text),
    "gpt_oss": ("GptOssForCausalLM", {**DECODER, **EXPERTS, "sliding_window": 8}, text),
    "dbrx": ("DbrxForCausalLM", {"vocab_size": 96, "d_model": 32, "n_heads": 4, "n_layers": 2, "max_seq_len": 64,
                                 "ffn_config": {"ffn_hidden_size": 16, "moe_num_experts": 4, "moe_top_k": 2},
                                 "attn_config": {"kv_n_heads": 2, "clip_qkv": 8.0, "rope_theta": 10000.0}}, text),
    "xglm": ("XGLMForCausalLM", {**TEXT, "d_model": 32, "ffn_dim": 48, "num_layers": 2, "attention_heads": 4}, text),
    "biogpt": ("BioGptForCausalLM", TEXT, text),
    # Recurrent
    "mamba2": ("Mamba2ForCausalLM", {"vocab_size": 96, "hidden_size": 32, "num_hidden_layers": 2, "num_heads": 4, "head_dim": 16, "state_size": 8,
                                     "n_groups": 2, "chunk_size": 4, "use_cache": False}, plain),
    "falcon_mamba": ("FalconMambaForCausalLM", {"vocab_size": 96, "hidden_size": 32, "num_hidden_layers": 2, "state_size": 4, "use_cache": False}, plain),
    "recurrent_gemma": ("RecurrentGemmaForCausalLM", {**TEXT, "lru_width": 32, "attention_window_size": 8, "num_hidden_layers": 3, "use_cache": False}, plain),
    "rwkv": ("RwkvForCausalLM", {"vocab_size": 96, "hidden_size": 32, "num_hidden_layers": 2, "attention_hidden_size": 32, "intermediate_size": 48,
                                 "use_cache": False}, plain),
    # Encoders of text
    "distilbert": ("DistilBertModel", {"vocab_size": 96, "dim": 32, "n_layers": 2, "n_heads": 4, "hidden_dim": 48, "max_position_embeddings": 64}, text),
    "roberta": ("RobertaForSequenceClassification", {**TEXT, "type_vocab_size": 1}, text),
    "albert": ("AlbertModel", {**TEXT, "embedding_size": 16}, text),
    "electra": ("ElectraForPreTraining", {**TEXT, "embedding_size": 16}, text),
    "deberta": ("DebertaModel", {**TEXT, "relative_attention": True, "pos_att_type": ["c2p", "p2c"]}, text),
    "deberta_v2": ("DebertaV2Model", {**TEXT, "relative_attention": True, "pos_att_type": ["c2p", "p2c"], "position_buckets": 8}, text),
    "mpnet": ("MPNetModel", TEXT, text),
    "modernbert": ("ModernBertModel", {**TEXT, "local_attention": 8, "global_attn_every_n_layers": 2}, text),
    "squeezebert": ("SqueezeBertModel", {**TEXT, "embedding_size": 32}, text),
    "mobilebert": ("MobileBertModel", {**TEXT, "embedding_size": 16, "intra_bottleneck_size": 16}, text),
    "funnel": ("FunnelModel", {"vocab_size": 96, "d_model": 32, "n_head": 4, "d_head": 8, "d_inner": 48, "block_sizes": [1, 1], "num_decoder_layers": 1}, text),
    "xlnet": ("XLNetModel", {"vocab_size": 96, "d_model": 32, "n_layer": 2, "n_head": 4, "d_inner": 48}, text),
    "roformer": ("RoFormerModel", {**TEXT, "embedding_size": 32}, text),
    "ernie": ("ErnieModel", TEXT, text),
    "camembert": ("CamembertForTokenClassification", {**TEXT, "type_vocab_size": 1}, text),
    "nystromformer": ("NystromformerModel", {**TEXT, "num_landmarks": 4, "segment_means_seq_len": 16}, lambda: {"input_ids": ids(length=16)}),
    "fnet": ("FNetModel", TEXT, plain),
    "esm": ("EsmModel", {**TEXT, "mask_token_id": 3, "position_embedding_type": "rotary"}, text),
    # Both
    "bart": ("BartForConditionalGeneration", SEQ2SEQ, pair),
    "marian": ("MarianMTModel", SEQ2SEQ, pair),
    "pegasus": ("PegasusForConditionalGeneration", SEQ2SEQ, pair),
    "mbart": ("MBartForConditionalGeneration", SEQ2SEQ, pair),
    "m2m_100": ("M2M100ForConditionalGeneration", SEQ2SEQ, pair),
    "blenderbot": ("BlenderbotForConditionalGeneration", SEQ2SEQ, pair),
    "t5_whole": ("T5ForConditionalGeneration", {"vocab_size": 96, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4,
                                                "decoder_start_token_id": 0}, pair),
    "mt5": ("MT5ForConditionalGeneration", {"vocab_size": 96, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4,
                                            "decoder_start_token_id": 0}, pair),
    "prophetnet": ("ProphetNetModel", {"vocab_size": 96, "hidden_size": 32, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "num_encoder_layers": 2,
                                       "num_decoder_layers": 2, "num_encoder_attention_heads": 4, "num_decoder_attention_heads": 4,
                                       "max_position_embeddings": 64, "ngram": 2}, pair),
    # Images
    "deit": ("DeiTModel", IMAGE, image()),
    "beit": ("BeitModel", {**IMAGE, "use_relative_position_bias": True}, image()),
    "dinov2": ("Dinov2Model", {**IMAGE, "mlp_ratio": 2}, image()),
    "swin": ("SwinModel", {"image_size": 32, "patch_size": 4, "embed_dim": 16, "depths": [2, 1], "num_heads": [2, 4], "window_size": 4}, image()),
    "swinv2": ("Swinv2Model", {"image_size": 32, "patch_size": 4, "embed_dim": 16, "depths": [2, 1], "num_heads": [2, 4], "window_size": 4}, image()),
    "convnextv2": ("ConvNextV2Model", {"hidden_sizes": [8, 16], "depths": [1, 1], "num_stages": 2}, image()),
    "mobilenet_v1": ("MobileNetV1Model", {"depth_multiplier": 0.25, "min_depth": 4}, image()),
    "mobilenet_v2": ("MobileNetV2Model", {"depth_multiplier": 0.25, "min_depth": 4}, image()),
    "mobilevit": ("MobileViTModel", {"image_size": 64, "hidden_sizes": [16, 24, 32], "neck_hidden_sizes": [8, 8, 16, 16, 16, 16, 32],
                                     "num_attention_heads": 2}, image(64)),
    "mobilevitv2": ("MobileViTV2Model", {"image_size": 64, "width_multiplier": 0.25, "n_attn_blocks": [1, 1, 1]}, image(64)),
    "efficientnet": ("EfficientNetModel", {"width_coefficient": 0.25, "depth_coefficient": 0.25, "hidden_dim": 320, "image_size": 64}, image(64)),
    "regnet": ("RegNetModel", {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "groups_width": 8, "layer_type": "y"}, image()),
    "poolformer": ("PoolFormerModel", {"hidden_sizes": [8, 16], "depths": [1, 1], "num_encoder_blocks": 2, "patch_sizes": [7, 3], "strides": [4, 2],
                                       "padding": [2, 1]}, image()),
    "bit": ("BitModel", {"embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "num_groups": 4}, image()),
    "levit": ("LevitModel", {"image_size": 64, "hidden_sizes": [16, 24, 32], "num_attention_heads": [2, 3, 4], "depths": [1, 1, 1], "key_dim": [8, 8, 8],
                             "attention_ratio": [2, 2, 2], "mlp_ratio": [2, 2, 2], "drop_path_rate": 0}, image(64)),
    "pvt": ("PvtModel", {"image_size": 64, "num_encoder_blocks": 4, "depths": [1, 1, 1, 1], "sequence_reduction_ratios": [8, 4, 2, 1],
                         "hidden_sizes": [8, 8, 16, 16], "num_attention_heads": [1, 1, 2, 2], "mlp_ratios": [2, 2, 2, 2]}, image(64)),
    "focalnet": ("FocalNetModel", {"image_size": 32, "patch_size": 4, "embed_dim": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "focal_levels": [2, 2],
                                   "focal_windows": [3, 3]}, image()),
    "hiera": ("HieraModel", {"embed_dim": 8, "image_size": [32, 32], "patch_size": [7, 7], "patch_stride": [4, 4], "patch_padding": [3, 3],
                             "depths": [1, 1], "num_heads": [1, 2], "num_query_pool": 1, "masked_unit_size": [4, 4]}, image()),
    "data2vec_vision": ("Data2VecVisionModel", IMAGE, image()),
    "vit_mae": ("ViTMAEModel", IMAGE, lambda: {**image()(), "noise": drawn(2, 16)}),
    "yolos": ("YolosModel", {**IMAGE, "image_size": [32, 32], "num_detection_tokens": 4}, image()),
    "dpt": ("DPTForDepthEstimation", {**IMAGE, "num_hidden_layers": 4, "backbone_out_indices": [0, 1, 2, 3], "neck_hidden_sizes": [8, 8, 16, 16],
                                      "fusion_hidden_size": 8, "reassemble_factors": [4, 2, 1, 0.5]}, image()),
    "glpn": ("GLPNModel", {"num_encoder_blocks": 2, "depths": [1, 1], "sr_ratios": [2, 1], "hidden_sizes": [8, 16], "patch_sizes": [3, 3],
                           "strides": [2, 2], "num_attention_heads": [1, 2], "mlp_ratios": [2, 2]}, image()),
    "siglip": ("SiglipVisionModel", IMAGE, image()),
    "clip_text": ("CLIPTextModel", {**TEXT, "projection_dim": 16}, text),
    "clip_whole": ("CLIPModel", {"text_config": TEXT, "vision_config": IMAGE, "projection_dim": 16}, lambda: {**text(), **image()()}),
    "sam": ("SamVisionModel", {**IMAGE, "image_size": 64, "output_channels": 16, "window_size": 3, "global_attn_indexes": [1], "mlp_ratio": 2.0,
                               "mlp_dim": 64}, image(64)),
    "videomae": ("VideoMAEModel", {**IMAGE, "num_frames": 4, "tubelet_size": 2}, lambda: {"pixel_values": drawn(2, 4, 3, 32, 32)}),
    "timesformer": ("TimesformerModel", {**IMAGE, "num_frames": 4}, lambda: {"pixel_values": drawn(2, 4, 3, 32, 32)}),
    # Sound
    "hubert": ("HubertModel", AUDIO, sound),
    "wavlm": ("WavLMModel", AUDIO, sound),
    "data2vec_audio": ("Data2VecAudioModel", {**AUDIO, "conv_pos_kernel_size": 7}, sound),
    "unispeech_sat": ("UniSpeechSatModel", AUDIO, sound),
    "sew": ("SEWModel", {**AUDIO, "squeeze_factor": 2}, sound),
    "wav2vec2_conformer": ("Wav2Vec2ConformerModel", AUDIO, sound),
    "speecht5": ("SpeechT5ForSpeechToText", {**AUDIO, **SEQ2SEQ, "encoder_ffn_dim": 48},
                 lambda: {**sound(), "decoder_input_ids": ids(length=7)}),
    "audio_spectrogram": ("ASTModel", {"hidden_size": 32, "num_hidden_layers": 2, "num_attention_heads": 4, "intermediate_size": 48, "patch_size": 8,
                                       "max_length": 32, "num_mel_bins": 16, "frequency_stride": 8, "time_stride": 8},
                          lambda: {"input_values": drawn(2, 32, 16)}),
    "encodec": ("EncodecModel", {"num_filters": 4, "hidden_size": 16, "codebook_size": 16, "codebook_dim": 16, "upsampling_ratios": [4, 2],
                                 "num_lstm_layers": 1}, lambda: {"input_values": drawn(2, 1, 320)}),
    # Time series, tables
    "patchtst": ("PatchTSTModel", {"num_input_channels": 2, "context_length": 32, "patch_length": 8, "patch_stride": 8, "d_model": 16,
                                   "num_hidden_layers": 2, "num_attention_heads": 2, "ffn_dim": 32}, lambda: {"past_values": drawn(2, 32, 2)}),
    "patchtsmixer": ("PatchTSMixerModel", {"num_input_channels": 2, "context_length": 32, "patch_length": 8, "patch_stride": 8, "d_model": 16,
                                           "num_layers": 2}, lambda: {"past_values": drawn(2, 32, 2)}),
    # Of every kind
    "jamba": ("JambaForCausalLM", {**DECODER, **EXPERTS, "attn_layer_period": 2, "attn_layer_offset": 1, "expert_layer_period": 2, "expert_layer_offset": 1,
                                   "mamba_d_state": 4, "mamba_expand": 1, "mamba_dt_rank": 4, "use_mamba_kernels": False, "use_cache": False}, plain),
    "bamba": ("BambaForCausalLM", {**DECODER, "attn_layer_indices": [1], "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 8, "mamba_n_groups": 1,
                                   "mamba_expand": 2, "mamba_chunk_size": 4, "use_cache": False}, plain),
    "zamba2": ("Zamba2ForCausalLM", {**TEXT, "num_key_value_heads": 4, "attention_head_dim": 16, "mamba_d_state": 8, "mamba_expand": 2, "mamba_ngroups": 1, "n_mamba_heads": 4,
                                     "chunk_size": 4, "num_mem_blocks": 1, "hybrid_layer_ids": [1], "layers_block_type": ["mamba", "hybrid"],
                                     "use_cache": False}, plain),
    "lfm2": ("Lfm2ForCausalLM", {**DECODER, "layer_types": ["conv", "full_attention"], "use_cache": False}, plain),
    "granite_hybrid": ("GraniteMoeHybridForCausalLM", {**DECODER, **EXPERTS, "layer_types": ["mamba", "attention"], "shared_intermediate_size": 16,
                                                       "mamba_n_heads": 4, "mamba_d_head": 16, "mamba_d_state": 8, "mamba_n_groups": 1, "mamba_chunk_size": 4,
                                                       "use_cache": False}, plain),
    "qwen3_next": ("Qwen3NextForCausalLM", {**DECODER, **EXPERTS, "shared_expert_intermediate_size": 16, "linear_num_key_heads": 2, "linear_num_value_heads": 4,
                                            "linear_key_head_dim": 8, "linear_value_head_dim": 8, "layer_types": ["linear_attention", "full_attention"],
                                            "use_cache": False}, plain),
    "xlstm": ("xLSTMForCausalLM", {"vocab_size": 96, "hidden_size": 32, "num_heads": 2, "num_hidden_layers": 2, "chunk_size": 4, "use_cache": False}, plain),
    "minimax": ("MiniMaxForCausalLM", {**DECODER, **EXPERTS, "block_size": 4, "layer_types": ["linear_attention", "full_attention"], "use_cache": False}, plain),
    "exaone4": ("Exaone4ForCausalLM", {**DECODER, "sliding_window": 8}, text),
    "ernie4_5": ("Ernie4_5ForCausalLM", DECODER, text),
    "seed_oss": ("SeedOssForCausalLM", DECODER, text),
    "arcee": ("ArceeForCausalLM", DECODER, text),
    "apertus": ("ApertusForCausalLM", DECODER, text),
    "bitnet": ("BitNetForCausalLM", DECODER, text),
    "diffllama": ("DiffLlamaForCausalLM", DECODER, text),
    "doge": ("DogeForCausalLM", DECODER, text),
    "jetmoe": ("JetMoeForCausalLM", {"vocab_size": 96, "hidden_size": 32, "num_hidden_layers": 2, "num_key_value_heads": 2, "kv_channels": 8,
                                     "intermediate_size": 48, "max_position_embeddings": 64, "num_local_experts": 4, "num_experts_per_tok": 2}, text),
    "phimoe": ("PhimoeForCausalLM", {**DECODER, **EXPERTS}, text),
    "cohere2": ("Cohere2ForCausalLM", {**DECODER, "sliding_window": 8}, text),
    "modernbert_decoder": ("ModernBertDecoderForCausalLM", {**TEXT, "local_attention": 8, "global_attn_every_n_layers": 2}, text),
    "longformer": ("LongformerModel", {**TEXT, "attention_window": 4}, text),
    "big_bird": ("BigBirdModel", {**TEXT, "attention_type": "original_full"}, text),
    "led": ("LEDModel", {"vocab_size": 96, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2, "encoder_attention_heads": 4, "decoder_attention_heads": 4,
                         "encoder_ffn_dim": 48, "decoder_ffn_dim": 48, "max_encoder_position_embeddings": 64, "max_decoder_position_embeddings": 64,
                         "attention_window": 4}, pair),
    "convbert": ("ConvBertModel", {**TEXT, "embedding_size": 16, "head_ratio": 2, "conv_kernel_size": 3}, text),
    "layoutlm": ("LayoutLMModel", TEXT, lambda: {**text(), "bbox": torch.arange(2 * SEQUENCE * 4).remainder(60).reshape(2, SEQUENCE, 4).sort(-1).values}),
    "ibert": ("IBertModel", TEXT, text),
    "mra": ("MraModel", TEXT, text),
    "splinter": ("SplinterModel", TEXT, text),
    "rembert": ("RemBertModel", {**TEXT, "input_embedding_size": 16, "output_embedding_size": 16}, text),
    "xlm": ("XLMModel", {"vocab_size": 96, "emb_dim": 32, "n_layers": 2, "n_heads": 4, "max_position_embeddings": 64, "pad_token_id": 0}, text),
    "canine": ("CanineModel", {**TEXT, "num_hash_buckets": 64, "num_hash_functions": 2, "downsampling_rate": 2, "upsampling_kernel_size": 2, "local_transformer_stride": 4},
               lambda: {"input_ids": ids(length=16), "attention_mask": torch.ones(2, 16, dtype=torch.int64)}),
    "perceiver": ("PerceiverModel", {"d_latents": 16, "d_model": 16, "num_latents": 4, "num_blocks": 1, "num_self_attends_per_block": 2,
                                     "num_self_attention_heads": 2, "num_cross_attention_heads": 2}, lambda: {"inputs": drawn(2, 12, 16)}),
    "fsmt": ("FSMTForConditionalGeneration", {"langs": ["en", "de"], "src_vocab_size": 96, "tgt_vocab_size": 96, "d_model": 32, "encoder_layers": 2, "decoder_layers": 2,
                                              "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 48, "decoder_ffn_dim": 48,
                                              "max_position_embeddings": 64, "pad_token_id": 0, "bos_token_id": 1, "eos_token_id": 2}, pair),
    "speech_to_text": ("Speech2TextForConditionalGeneration", {**SEQ2SEQ, "num_conv_layers": 2, "conv_channels": 16, "input_feat_per_channel": 8, "max_source_positions": 64,
                                                               "max_target_positions": 64}, lambda: {"input_features": drawn(2, 40, 8), "decoder_input_ids": ids(length=7)}),
    "moonshine": ("MoonshineForConditionalGeneration", {"vocab_size": 96, "hidden_size": 32, "intermediate_size": 48, "encoder_num_hidden_layers": 2,
                                                        "decoder_num_hidden_layers": 2, "encoder_num_attention_heads": 4, "decoder_num_attention_heads": 4,
                                                        "pad_token_id": 0, "decoder_start_token_id": 1}, lambda: {"input_values": drawn(2, 1600), "decoder_input_ids": ids(length=7)}),
    "clap_audio": ("ClapAudioModel", {"image_size": 32, "spec_size": 64, "num_mel_bins": 16, "patch_size": 4, "patch_stride": [4, 4], "hidden_size": 32, "patch_embeds_hidden_size": 16,
                                      "depths": [1, 1], "num_attention_heads": [2, 4], "window_size": 4}, lambda: {"input_features": drawn(2, 1, 256, 16)}),
    "vits": ("VitsModel", {"vocab_size": 38, "hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "ffn_dim": 16, "flow_size": 16}, lambda: {"input_ids": ids(1, 6, 38)}),
    "univnet": ("UnivNetModel", {"model_in_channels": 8, "model_hidden_channels": 8, "num_mel_bins": 8, "resblock_stride_sizes": [2, 2], "resblock_kernel_sizes": [3, 3],
                                 "resblock_dilation_sizes": [[1, 3], [1, 3]], "kernel_predictor_num_blocks": 1, "kernel_predictor_hidden_channels": 8},
                lambda: {"input_features": drawn(1, 6, 8), "noise_sequence": drawn(1, 6, 8)}),
    "clipseg": ("CLIPSegModel", {"text_config": TEXT, "vision_config": IMAGE, "projection_dim": 16}, lambda: {**text(), **image()()}),
    "owlvit": ("OwlViTModel", {"text_config": TEXT, "vision_config": IMAGE, "projection_dim": 16}, lambda: {**text(), **image()()}),
    "blip": ("BlipModel", {"text_config": {**TEXT, "encoder_hidden_size": 32}, "vision_config": IMAGE, "projection_dim": 16}, lambda: {**text(), **image()()}),
    "vilt": ("ViltModel", {**TEXT, "image_size": 32, "patch_size": 8}, lambda: {**text(), **image()()}),
    "detr": ("DetrForObjectDetection", {"d_model": 32, "encoder_layers": 1, "decoder_layers": 1, "encoder_attention_heads": 4, "decoder_attention_heads": 4, "encoder_ffn_dim": 32,
                                        "decoder_ffn_dim": 32, "num_queries": 5, "use_timm_backbone": False, "backbone": None, "use_pretrained_backbone": False,
                                        "backbone_config": {"model_type": "resnet", "embedding_size": 8, "hidden_sizes": [8, 16], "depths": [1, 1], "layer_type": "basic",
                                                            "out_features": ["stage2"]}}, image(64)),
    "segformer_semantic": ("SegformerForSemanticSegmentation", {"num_encoder_blocks": 4, "depths": [1, 1, 1, 1], "hidden_sizes": [8, 8, 16, 16], "decoder_hidden_size": 16,
                                                                "num_attention_heads": [1, 1, 2, 2]}, image(64)),
    "upernet": ("UperNetForSemanticSegmentation", {"hidden_size": 16, "auxiliary_in_channels": 16, "pool_scales": [1, 2],
                                                   "backbone_config": {"model_type": "convnext", "hidden_sizes": [8, 8, 16, 16], "depths": [1, 1, 1, 1],
                                                                       "out_features": ["stage1", "stage2", "stage3", "stage4"]}}, image(64)),
    "vitdet": ("VitDetModel", {**IMAGE, "window_size": 2, "window_block_indices": [0], "use_relative_position_embeddings": True}, image()),
    "vivit": ("VivitModel", {**IMAGE, "num_frames": 4, "tubelet_size": [2, 8, 8]}, lambda: {"pixel_values": drawn(2, 4, 3, 32, 32)}),
    "swin2sr": ("Swin2SRForImageSuperResolution", {"image_size": 16, "embed_dim": 16, "depths": [2], "num_heads": [2], "window_size": 4, "upscale": 2}, image(16)),
    "textnet": ("TextNetModel", {"stem_out_channels": 8, "hidden_sizes": [8, 8, 16, 16, 16]}, image(64)),
    "dinov3": ("DINOv3ViTModel", IMAGE, image()),
    "dinov3_convnext": ("DINOv3ConvNextModel", {"hidden_sizes": [8, 8, 16, 16], "depths": [1, 1, 1, 1]}, image(64)),
    "superpoint": ("SuperPointForKeypointDetection", {"encoder_hidden_sizes": [8, 8, 16, 16], "decoder_hidden_size": 16, "descriptor_decoder_dim": 16}, image(64)),
    "informer": ("InformerModel", {"prediction_length": 4, "context_length": 8, "num_time_features": 1, "lags_sequence": [1, 2], "d_model": 16, "encoder_layers": 1, "decoder_layers": 1,
                                   "encoder_attention_heads": 2, "decoder_attention_heads": 2, "encoder_ffn_dim": 16, "decoder_ffn_dim": 16},
                 lambda: {"past_values": drawn(2, 10), "past_time_features": drawn(2, 10, 1), "past_observed_mask": torch.ones(2, 10),
                          "future_values": drawn(2, 4), "future_time_features": drawn(2, 4, 1)}),
    "decision_transformer": ("DecisionTransformerModel", {"state_dim": 5, "act_dim": 3, "hidden_size": 32, "n_layer": 2, "n_head": 4, "max_ep_len": 64},
                             lambda: {"states": drawn(2, 4, 5), "actions": drawn(2, 4, 3), "rewards": drawn(2, 4, 1), "returns_to_go": drawn(2, 4, 1),
                                      "timesteps": torch.arange(8).reshape(2, 4), "attention_mask": torch.ones(2, 4, dtype=torch.int64)}),
    "llava": ("LlavaForConditionalGeneration", {"text_config": {"model_type": "llama", **DECODER}, "vision_config": {"model_type": "clip_vision_model", **IMAGE},
                                                "image_token_index": 90, "vision_feature_layer": -1, "image_seq_length": 16},
              lambda: {"input_ids": torch.cat([torch.full((2, 16), 90), ids(vocabulary=80)], 1), **image()()}),
    "trocr": ("TrOCRForCausalLM", {"vocab_size": 96, "d_model": 32, "decoder_layers": 2, "decoder_attention_heads": 4, "decoder_ffn_dim": 48, "max_position_embeddings": 64,
                                   "is_decoder": True, "add_cross_attention": False}, plain),
    "bert_decoder": ("BertLMHeadModel", {**TEXT, "is_decoder": True}, text),
    "umt5": ("UMT5EncoderModel", {"vocab_size": 96, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_heads": 4}, text),
    "switch": ("SwitchTransformersModel", {"vocab_size": 96, "d_model": 32, "d_kv": 8, "d_ff": 48, "num_layers": 2, "num_decoder_layers": 2, "num_heads": 4, "num_experts": 4,
                                           "num_sparse_encoder_layers": 1, "num_sparse_decoder_layers": 1, "expert_capacity": 8}, pair),
    "siglip2": ("Siglip2VisionModel", {**{k: v for k, v in IMAGE.items() if k != "image_size"}, "num_patches": 16},
                lambda: {"pixel_values": drawn(2, 16, 192), "pixel_attention_mask": torch.ones(2, 16, dtype=torch.int32), "spatial_shapes": torch.tensor([[4, 4], [4, 4]])}),
    "got_hgnet": ("HGNetV2ForImageClassification", {"embedding_size": 8, "stem_channels": [3, 8, 8], "hidden_sizes": [8, 8, 16, 16], "stage_in_channels": [8, 8, 8, 16],
                                                    "stage_mid_channels": [8, 8, 8, 8], "stage_out_channels": [8, 8, 16, 16], "stage_num_blocks": [1, 1, 1, 1],
                                                    "stage_numb_of_layers": [1, 1, 1, 1]}, image(64)),
}


def build_more(name):
    """(the model in evaluation mode with random weights, its keyword arguments). It was called once: RWKV changes itself then."""
    warnings.simplefilter("ignore")
    import transformers
    transformers.logging.set_verbosity_error()
    kind, settings, inputs = MORE[name]
    kind = getattr(transformers, kind)
    torch.manual_seed(0)
    model, keywords = kind(kind.config_class(**settings)).eval(), inputs()
    with torch.no_grad():
        model(**keywords)
    return model, keywords
