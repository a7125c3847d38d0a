# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of models.py at the sizes that were published, with random weights: configurations written out, nothing downloaded."""
import torch

from tests.models import MODELS

TOKENS = 128


def _ids(vocabulary, count=TOKENS):
    return torch.arange(count).mul(7919).remainder(vocabulary).reshape(1, count)


def _image(size=224):
    return torch.randn(1, 3, size, size, generator=torch.Generator().manual_seed(1))


def _text(config, **more):
    return config, {"input_ids": _ids(config.vocab_size), "attention_mask": torch.ones(1, TOKENS, dtype=torch.int64), **more}


def _pixels(config, size=224):
    return config, {"pixel_values": _image(size)}


#: name: (what it is, class, function of the package to (configuration, keyword arguments))
PUBLISHED = {
    "gpt2": ("gpt2, 124M", "GPT2LMHeadModel", lambda t: _text(t.GPT2Config())),
    "llama": ("Llama 3.2 1B", "LlamaForCausalLM", lambda t: _text(t.LlamaConfig(
        vocab_size=128256, hidden_size=2048, intermediate_size=8192, num_hidden_layers=16, num_attention_heads=32,
        num_key_value_heads=8, head_dim=64, max_position_embeddings=131072, rms_norm_eps=1e-5, tie_word_embeddings=True))),
    "qwen3": ("Qwen3 0.6B", "Qwen3ForCausalLM", lambda t: _text(t.Qwen3Config(
        vocab_size=151936, hidden_size=1024, intermediate_size=3072, num_hidden_layers=28, num_attention_heads=16,
        num_key_value_heads=8, head_dim=128, max_position_embeddings=40960, tie_word_embeddings=True))),
    "mixtral": ("Mixtral 8x7B, 2 of its 32 layers", "MixtralForCausalLM", lambda t: _text(t.MixtralConfig(
        vocab_size=32000, hidden_size=4096, intermediate_size=14336, num_hidden_layers=2, num_attention_heads=32,
        num_key_value_heads=8, num_local_experts=8, num_experts_per_tok=2, max_position_embeddings=32768))),
    "bert": ("bert-base", "BertModel", lambda t: _text(t.BertConfig())),
    "vit": ("ViT-B/16", "ViTModel", lambda t: _pixels(t.ViTConfig())),
    "resnet": ("ResNet-50", "ResNetModel", lambda t: _pixels(t.ResNetConfig())),
    "convnext": ("ConvNeXt-T", "ConvNextModel", lambda t: _pixels(t.ConvNextConfig())),
    "clip": ("CLIP ViT-B/32, vision", "CLIPVisionModel", lambda t: _pixels(t.CLIPVisionConfig())),
    "whisper": ("Whisper base", "WhisperModel", lambda t: (t.WhisperConfig(
        d_model=512, encoder_layers=6, decoder_layers=6, encoder_attention_heads=8, decoder_attention_heads=8, encoder_ffn_dim=2048,
        decoder_ffn_dim=2048), {"input_features": torch.randn(1, 80, 3000, generator=torch.Generator().manual_seed(1)),
                                "decoder_input_ids": _ids(51865, 32)})),
    "t5": ("T5 base, encoder", "T5EncoderModel", lambda t: _text(t.T5Config(d_model=768, d_ff=3072, num_layers=12, num_heads=12))),
    "mamba": ("Mamba 130M", "MambaModel", lambda t: (t.MambaConfig(num_hidden_layers=24), {"input_ids": _ids(50280)})),
    "segformer": ("SegFormer-B0", "SegformerModel", lambda t: _pixels(t.SegformerConfig(), 512)),
    "wav2vec2": ("wav2vec 2.0 base", "Wav2Vec2Model", lambda t: (t.Wav2Vec2Config(), {
        "input_values": torch.randn(1, 16000, generator=torch.Generator().manual_seed(1))})),
}
assert PUBLISHED.keys() == MODELS.keys()


def build_published(name, device):
    """(what it is, the model in evaluation mode on DEVICE in float32, its keyword arguments)."""
    import transformers
    transformers.logging.set_verbosity_error()
    what, kind, make = PUBLISHED[name]
    config, keywords = make(transformers)
    torch.manual_seed(0)
    with torch.device(device):
        model = getattr(transformers, kind)(config)
    return what, model.to(device).eval(), {key: value.to(device) for key, value in keywords.items()}
