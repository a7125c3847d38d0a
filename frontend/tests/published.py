# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of models.py at the sizes that were published, with random weights: configurations written out, nothing downloaded.

Usage: published.py OUT NAME[:BATCH[:TYPE[:decode]]]...   writes OUT/NAME-bBATCH-TYPE.py for each, a problem in the benchmark's form that
imports this module (PYTHONPATH=frontend). BATCH 1 and TYPE bf16 unless said; TYPE fp32 allows TF32. `decode` is one step with a static
key-value cache of 2048 positions.
"""
import contextlib
import pathlib
import sys

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


def build_published(name, device=None):
    """(what it is, the model in evaluation mode in float32, its keyword arguments), on DEVICE or where tensors are made by default."""
    import transformers
    transformers.logging.set_verbosity_error()
    what, kind, make = PUBLISHED[name]
    config, keywords = make(transformers)
    torch.manual_seed(0)
    with torch.device(device) if device else contextlib.nullcontext():
        model = getattr(transformers, kind)(config).eval()
    return (what, model.to(device), {key: value.to(device) for key, value in keywords.items()}) if device else (what, model, keywords)


CACHED = 2048


def _batched(value, batch):
    """VALUE, whose first dimension is 1, for BATCH."""
    return value.repeat(batch, *[1] * (value.dim() - 1))


class _Whole(torch.nn.Module):
    """A published model as a function of tensors to the first tensor that it answers."""

    def __init__(self, name, dtype):
        super().__init__()
        _, self.model, keywords = build_published(name)
        self.model.to(dtype)
        self.names = list(keywords)
        self.fixed = {"use_cache": False} if hasattr(self.model.config, "use_cache") else {}

    def forward(self, *tensors):
        return self.model(**dict(zip(self.names, tensors)), **self.fixed, return_dict=True)[0]


class _DecodeStep(torch.nn.Module):
    """One token of a decoder, whose keys and values are written into buffers of CACHED positions."""

    def __init__(self, name, dtype, batch):
        super().__init__()
        import transformers
        _, self.model, _ = build_published(name)
        self.model.to(dtype)
        config = self.model.config
        self.cache = transformers.StaticCache(config=config, max_cache_len=CACHED)
        heads, width = config.num_key_value_heads, config.head_dim
        self.cache.early_initialization(batch, heads, width, dtype, next(self.model.parameters()).device)
        for index, layer in enumerate(self.cache.layers):
            self.register_buffer(f"keys_{index}", layer.keys, persistent=False)
            self.register_buffer(f"values_{index}", layer.values, persistent=False)

    def forward(self, ids, position):
        for index, layer in enumerate(self.cache.layers):
            layer.keys, layer.values = getattr(self, f"keys_{index}"), getattr(self, f"values_{index}")
            layer.cumulative_length, layer.device = position.clone(), ids.device  # what the layer has written so far
        return self.model(input_ids=ids, position_ids=position[None], past_key_values=self.cache)[0]


def problem(name, batch, kind, decode=False):
    """(Model, get_inputs) of the benchmark's form for published model NAME."""
    dtype = {"fp32": torch.float32, "bf16": torch.bfloat16}[kind]
    if kind == "fp32":
        torch.backends.cuda.matmul.allow_tf32 = True

    def inputs():
        if decode:
            return [_ids(30000, 1).repeat(batch, 1), torch.randint(0, CACHED, (1,))]
        import transformers
        _, keywords = PUBLISHED[name][2](transformers)
        values = [_batched(value, batch) for value in keywords.values()]
        return [value.to(dtype) if value.is_floating_point() else value for value in values]

    return (lambda: _DecodeStep(name, dtype, batch) if decode else _Whole(name, dtype)), inputs


def main(arguments):
    folder = pathlib.Path(arguments[0])
    folder.mkdir(parents=True, exist_ok=True)
    for word in arguments[1:]:
        name, batch, kind, decode = (word.split(":") + ["", "", ""])[:4]
        batch, kind = int(batch or 1), kind or "bf16"
        path = folder / f"{name}-b{batch}-{kind}{'-decode' if decode else ''}.py"
        path.write_text(f"from tests.published import problem\n\nModel, get_inputs = problem({name!r}, {batch}, {kind!r}, {bool(decode)})\n"
                        + ("kgen_precision = \"tf32\"\n" if kind == "fp32" else "") + "\n\ndef get_init_inputs():\n    return []\n")
        print(path)


if __name__ == "__main__":
    main(sys.argv[1:])
