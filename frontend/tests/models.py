# Part of the kgen project, under the Apache License v2.0 with LLVM Exceptions.
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""The models of the transformers package that are imported in tests: random weights, small configurations, nothing downloaded."""
import warnings

import torch

SEQUENCE = 12


def _ids(batch=2, vocabulary=96):
    return torch.arange(batch * SEQUENCE).mul(7).remainder(vocabulary).reshape(batch, SEQUENCE)


class _Only(torch.nn.Module):
    """A model as a function of tensors to one tensor."""

    def __init__(self, model, names, output, **fixed):
        super().__init__()
        self.model, self.names, self.output, self.fixed = model, names, output, fixed

    def forward(self, *tensors):
        result = self.model(**dict(zip(self.names, tensors)), **self.fixed, return_dict=True)
        return getattr(result, self.output)


def _text(model, config, output="last_hidden_state", batch=2, **fixed):
    ids = _ids(batch)
    mask = torch.ones_like(ids)
    mask[-1, SEQUENCE - 3:] = 0
    return _Only(model(config), ("input_ids", "attention_mask"), output, **fixed), (ids, mask)


def _decoder(t, name, **more):
    config = getattr(t, f"{name}Config")(
        vocab_size=96, hidden_size=32, intermediate_size=48, num_hidden_layers=2, num_attention_heads=4,
        num_key_value_heads=2, max_position_embeddings=64, use_cache=False, **more)
    return _text(getattr(t, f"{name}ForCausalLM"), config, "logits", use_cache=False)


def gpt2(t):
    return _text(t.GPT2LMHeadModel, t.GPT2Config(vocab_size=96, n_positions=64, n_embd=32, n_layer=2, n_head=4, use_cache=False),
                 "logits",
                 use_cache=False)


def llama(t):
    return _decoder(t, "Llama")


def qwen3(t):
    return _decoder(t, "Qwen3", head_dim=8)


def mixtral(t):
    return _decoder(t, "Mixtral", num_local_experts=4, num_experts_per_tok=2)


def bert(t):
    return _text(t.BertModel, t.BertConfig(vocab_size=96, hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                                           intermediate_size=48, max_position_embeddings=64))


def t5(t):
    return _text(t.T5EncoderModel, t.T5Config(vocab_size=96, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4))


def mamba(t):
    config = t.MambaConfig(vocab_size=96, hidden_size=32, state_size=4, num_hidden_layers=2, use_cache=False)
    return _Only(t.MambaModel(config), ("input_ids",), "last_hidden_state", use_cache=False), (_ids(),)


def _image(model, config, size=32, output="last_hidden_state"):
    generator = torch.Generator().manual_seed(1)
    return _Only(model(config), ("pixel_values",), output), (torch.randn(2, 3, size, size, generator=generator),)


def vit(t):
    return _image(t.ViTModel, t.ViTConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
                                          image_size=32, patch_size=8))


def resnet(t):
    return _image(t.ResNetModel, t.ResNetConfig(embedding_size=8, hidden_sizes=[8, 16], depths=[1, 1], layer_type="basic"))


def convnext(t):
    return _image(t.ConvNextModel, t.ConvNextConfig(hidden_sizes=[8, 16], depths=[1, 1], num_stages=2))


def clip(t):
    return _image(t.CLIPVisionModel, t.CLIPVisionConfig(hidden_size=32, num_hidden_layers=2, num_attention_heads=4,
                                                        intermediate_size=48, image_size=32, patch_size=8))


def segformer(t):
    return _image(t.SegformerModel, t.SegformerConfig(num_encoder_blocks=2, depths=[1, 1], sr_ratios=[2, 1], hidden_sizes=[8, 16],
                                                      patch_sizes=[3, 3], strides=[2, 2], num_attention_heads=[1, 2],
                                                      mlp_ratios=[2, 2]))


def whisper(t):
    config = t.WhisperConfig(vocab_size=96, d_model=32, encoder_layers=2, decoder_layers=2, encoder_attention_heads=4,
                             decoder_attention_heads=4, encoder_ffn_dim=48, decoder_ffn_dim=48, num_mel_bins=8,
                             max_source_positions=20, max_target_positions=32, pad_token_id=0, bos_token_id=1, eos_token_id=2,
                             decoder_start_token_id=1, use_cache=False)
    generator = torch.Generator().manual_seed(1)
    return (_Only(t.WhisperModel(config), ("input_features", "decoder_input_ids"), "last_hidden_state", use_cache=False),
            (torch.randn(2, 8, 40, generator=generator), _ids()))


def wav2vec2(t):
    config = t.Wav2Vec2Config(hidden_size=32, num_hidden_layers=2, num_attention_heads=4, intermediate_size=48,
                              conv_dim=(16, 16), conv_stride=(5, 2), conv_kernel=(10, 3), num_conv_pos_embeddings=8,
                              num_conv_pos_embedding_groups=4, num_feat_extract_layers=2)
    generator = torch.Generator().manual_seed(1)
    return _Only(t.Wav2Vec2Model(config), ("input_values",), "last_hidden_state"), (torch.randn(2, 400, generator=generator),)


MODELS = {function.__name__: function for function in (
    gpt2, llama, qwen3, mixtral, bert, vit, resnet, convnext, clip, whisper, t5, mamba, segformer, wav2vec2)}


def build(name):
    """(module in evaluation mode with random weights, example inputs)."""
    warnings.simplefilter("ignore")
    import transformers
    transformers.logging.set_verbosity_error()
    torch.manual_seed(0)
    model, inputs = MODELS[name](transformers)
    return model.eval(), inputs


def build_whole(name):
    """(the model as its class gives it, its keyword arguments): outputs of every kind, caches of keys and values among them."""
    module, inputs = build(name)
    # An encoder alone has no cache.
    if name != "t5" and hasattr(module.model.config, "use_cache"):
        module.model.config.use_cache = True
    return module.model, dict(zip(module.names, inputs))
