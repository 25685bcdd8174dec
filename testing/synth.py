"""Synthetic 1-bit Qwen3 models of any shape: random bits, scales near 0.02, norms near 1. Seeded, streamed, written in seconds.

    python testing/synth.py OUT.gguf --shape 1.7b
    python testing/synth.py OUT.gguf --n-layer 2 --n-embd 512 --n-head 4 --n-head-kv 2 --head-dim 128 --n-ff 1536 --untied --yarn
"""
import argparse
import sys
import zlib
from pathlib import Path

import gguf
import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from savante.gguf import GGUFFile  # noqa: E402

Q1_0 = 41

QWEN = dict(head_dim=128, n_vocab=151936, n_ctx_train=32768, yarn=True)
SHAPES = {
    "1.7b": dict(QWEN, n_layer=28, n_embd=2048, n_head=16, n_head_kv=8, n_ff=6144),
    "4b": dict(QWEN, n_layer=36, n_embd=2560, n_head=32, n_head_kv=8, n_ff=9728),
    "8b": dict(QWEN, n_layer=36, n_embd=4096, n_head=32, n_head_kv=8, n_ff=12288, n_ctx_train=65536, tied=False),
    # small ones, each with its own point: plain; heads of 64, untied, no YaRN; heads x size above the width, heads not grouped;
    # heads x size equal to the width, Qwen3's vocabulary; as deep as the 1.7B; the least that Q1_0 allows
    "s128": dict(n_layer=2, n_embd=256, n_head=4, n_head_kv=2, head_dim=128, n_ff=768, n_vocab=1000, yarn=True),
    "s64": dict(n_layer=2, n_embd=256, n_head=4, n_head_kv=2, head_dim=64, n_ff=512, n_vocab=777, tied=False),
    "wide-heads": dict(n_layer=3, n_embd=384, n_head=4, n_head_kv=4, head_dim=128, n_ff=1024, n_vocab=943, yarn=True),
    "w512": dict(QWEN, n_layer=1, n_embd=512, n_head=4, n_head_kv=2, n_ff=1536),
    "deep": dict(n_layer=28, n_embd=256, n_head=4, n_head_kv=2, head_dim=128, n_ff=512, n_vocab=1000, yarn=True),
    "one": dict(n_layer=1, n_embd=128, n_head=1, n_head_kv=1, head_dim=128, n_ff=128, n_vocab=130, n_ctx_train=1024),
}
YARN = dict(type="yarn", factor=4.0, original_context_length=8192)


def shapes(n_layer, n_embd, n_head, n_head_kv, head_dim, n_ff, n_vocab, tied):
    "name -> dims in numpy's order, as a Qwen3 has them."
    q, k = n_head * head_dim, n_head_kv * head_dim
    layer = dict(attn_norm=(n_embd,), attn_q=(q, n_embd), attn_k=(k, n_embd), attn_v=(k, n_embd), attn_q_norm=(head_dim,),
                 attn_k_norm=(head_dim,), attn_output=(n_embd, q), ffn_norm=(n_embd,), ffn_gate=(n_ff, n_embd), ffn_up=(n_ff, n_embd),
                 ffn_down=(n_embd, n_ff))
    top = dict(token_embd=(n_vocab, n_embd), output_norm=(n_embd,)) | ({} if tied else dict(output=(n_vocab, n_embd)))
    return {f"{n}.weight": s for n, s in (top | {f"blk.{i}.{n}": s for i in range(n_layer) for n, s in layer.items()}).items()}


def q1_0(rng, rows, cols):
    "Random Q1_0 rows as bytes: 16 bits of scale, 128 weights, block after block. Scales vary by row and block, a few are large."
    n = cols // 128
    blocks = np.frombuffer(rng.bytes(rows * n * 18), np.uint8).reshape(rows, n, 18).copy()
    scale = 0.02 * np.exp(0.3 * rng.standard_normal((rows, 1), np.float32) + 0.25 * rng.standard_normal((rows, n), np.float32))
    scale[rng.random((rows, n), np.float32) < 0.01] *= 4
    blocks[:, :, :2] = scale.astype("<f2").view(np.uint8).reshape(rows, n, 2)
    return blocks.reshape(rows, n * 18)


def norm(rng, n):
    "A gain near 1, with the spread and the few large channels of a trained one."
    w = 1 + 0.2 * rng.standard_normal(n)
    w[rng.random(n) < 0.01] *= 5
    return w.astype(np.float32)


def copy_vocabulary(writer, path):
    "Take over every `tokenizer.*` key of another file; returns the number of tokens."
    kv = {k: v for k, v in GGUFFile(path).kv.items() if k.startswith("tokenizer.")}
    for key, v in kv.items():
        if isinstance(v, bool): writer.add_bool(key, v)
        elif isinstance(v, int): writer.add_uint32(key, v)
        elif isinstance(v, str): writer.add_string(key, v)
        else: writer.add_array(key, v if isinstance(v, list) else v.tolist())
    return len(kv["tokenizer.ggml.tokens"])


def synth(
    path,                # file to write
    n_layer=2, n_embd=256, n_head=4, n_head_kv=2, head_dim=128, n_ff=768,
    n_vocab=None,        # rows of the embedding; with a copied vocabulary its size
    tied=True,           # no output.weight: the embedding serves twice
    yarn=None,           # True: factor 4 over 8192 as Bonsai; a dict: keys under rope.scaling; None: no scaling keys
    seed=0,
    vocab="none",        # "none", or a GGUF file whose tokenizer is copied
    n_ctx_train=4096, freq_base=1e6, eps=1e-6,
):
    "Write the model; returns its path. The same arguments give the same bytes."
    path = Path(path)
    path.parent.mkdir(parents=True, exist_ok=True)
    w = gguf.GGUFWriter(path, "qwen3", use_temp_file=False)
    w.add_name(f"synthetic {n_layer} x {n_embd}, seed {seed}")
    w.add_block_count(n_layer)
    w.add_context_length(n_ctx_train)
    w.add_embedding_length(n_embd)
    w.add_feed_forward_length(n_ff)
    w.add_head_count(n_head)
    w.add_head_count_kv(n_head_kv)
    w.add_key_length(head_dim)
    w.add_value_length(head_dim)
    w.add_rope_freq_base(freq_base)
    w.add_layer_norm_rms_eps(eps)
    for key, value in (YARN if yarn is True else yarn or {}).items():
        add = w.add_string if isinstance(value, str) else w.add_float32 if isinstance(value, float) else w.add_uint32
        add(f"qwen3.rope.scaling.{key}", value)
    if vocab == "none":
        w.add_tokenizer_model("none")
        n_vocab = n_vocab or 1000
    else:
        n_tokens = copy_vocabulary(w, vocab)
        n_vocab = n_vocab or n_tokens
        if n_vocab != n_tokens:
            raise ValueError(f"{vocab} has {n_tokens} tokens, not {n_vocab}")
    w.add_vocab_size(n_vocab)
    dims = shapes(n_layer, n_embd, n_head, n_head_kv, head_dim, n_ff, n_vocab, tied)
    for name, s in dims.items():
        if len(s) == 1:
            w.add_tensor_info(name, s, np.dtype(np.float32), 4 * s[0])
        else:
            row = s[1] // 128 * 18
            w.add_tensor_info(name, (s[0], row), np.dtype(np.uint8), s[0] * row, raw_dtype=gguf.GGMLQuantizationType(Q1_0))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_ti_data_to_file()
    for name, s in dims.items():
        rng = np.random.Generator(np.random.SFC64([seed, zlib.crc32(name.encode())]))  # by name: a tensor does not depend on others
        w.write_tensor_data(norm(rng, s[0]) if len(s) == 1 else q1_0(rng, *s))
    w.close()
    return path


def main():
    p = argparse.ArgumentParser(description="Write a synthetic 1-bit Qwen3 model.")
    p.add_argument("out")
    p.add_argument("--shape", choices=SHAPES, help="a named shape; the options below change it")
    for name in "n_layer n_embd n_head n_head_kv head_dim n_ff n_vocab n_ctx_train seed".split():
        p.add_argument("--" + name.replace("_", "-"), type=int)
    p.add_argument("--untied", dest="tied", action="store_false", default=None)
    p.add_argument("--yarn", action=argparse.BooleanOptionalAction)
    p.add_argument("--vocab", help="a GGUF file whose tokenizer is copied")
    given = {k: v for k, v in vars(p.parse_args()).items() if v is not None}
    out, shape = given.pop("out"), SHAPES.get(given.pop("shape", None), {})
    if "vocab" in given and "n_vocab" not in given:
        shape = {k: v for k, v in shape.items() if k != "n_vocab"}
    print(synth(out, **shape | given))


if __name__ == "__main__":
    main()
