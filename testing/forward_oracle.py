#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Tables of hashes of the first operations of llama.cpp's Qwen3 graph, computed by the shipped ggml.

usage: forward_oracle.py GGUF LIBDIR [OUT]      (OUT: .models/oracle-forward)

| table | rows |
|---|---|
| embed_norm.tsv | per token id: the embedding and the first norm |
| qkv.tsv | layer 0 on a 28-token chat prompt, every tensor from Q to l_out; RoPE also at far positions |
| swiglu.tsv | 24,600 points of silu(x) * 1, the last six of them padding |
| tiled.tsv | layer 0's attention for one micro-batch of 150 rows |
| splitkv.tsv | layer 0's attention for one row over 257 to 1000 cells, at 3 and 4 threads |

`check_tables.py` reproduces every hash with Savante's own operations."""
import ctypes
import hashlib
import json
import random
import sys
from pathlib import Path

import numpy as np

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
from savante.gguf import open_model  # noqa: E402
from savante.oracle import Ggml  # noqa: E402

CASES = ROOT / ".models" / "oracle-tokenizer" / "cases.jsonl"
THREADS = 3  # of the reference tables; only the split path's bits depend on it, and it has its own
EDGE_IDS = [0, 1, 2, 13, 198, 220, 271, 872, 13048, 151643, 151644, 151645, 151667, 151668]
PROMPT = [151644, 8948, 198, 2610, 525, 20739, 5409, 13, 151645, 198, 151644, 872, 198, 3838, 1558, 264, 22725, 12118, 30, 151645, 198,
          151644, 77091, 198, 151667, 271, 151668, 271]  # a system turn, a question, an empty thought
NEAR = list(range(len(PROMPT)))
FAR = [7 + 2341 * i for i in NEAR]  # out to 63,214
SPLIT_CELLS, SPLIT_THREADS = (257, 300, 511, 512, 513, 700, 1000), (3, 4)
EDGE_X = [0.0, -0.0, 1e-30, -1e-30, 87.0, 88.5, 89.0, 103.9, 104.0, -87.0, -88.5, -89.0, -103.9, -104.0, -126.0, 126.0, 150.0, -150.0]

f32 = np.float32


def sweep():
    "Arguments of the SwiGLU sweep, float32: an even grid over ±120, random points in ±30, the edges; padded to a multiple of 8."
    rnd = random.Random(11192)
    xs = [-120 + 240 * i / 16383 for i in range(16384)] + [rnd.uniform(-30, 30) for _ in range(8192)] + EDGE_X
    return np.array(xs + [0.0] * (-len(xs) % 8), f32)


def token_ids(n_vocab):
    "The ids of `embed_norm.tsv`: edges of the vocabulary, then what the tokenizer's cases hold, each once."
    ids = EDGE_IDS + [n_vocab - 1]
    if CASES.exists():
        for line in CASES.read_text().splitlines()[:40]: ids += json.loads(line)["ids"][:24]
    return list(dict.fromkeys(ids))


def long_prompt(n_vocab, length=150):
    "The chat prompt, continued to `length` tokens with ids from the cases."
    more = [i for i in token_ids(n_vocab) if i < n_vocab and i not in (151643, 151645)]
    return (PROMPT + more)[:max(length, len(PROMPT))]


def split_rows(length, cells):
    "Which row of a `length`-token prompt stands in each of `cells` cells of the split path's cache."
    return np.arange(cells) % length


class Parameters:
    "What the graph takes from the metadata, in the float32 steps of llama-context.cpp."
    def __init__(self, kv):
        logf = ctypes.CDLL("libm.so.6").logf
        logf.restype, logf.argtypes = ctypes.c_float, [ctypes.c_float]
        self.eps = float(kv["qwen3.attention.layer_norm_rms_epsilon"])
        self.n_head, self.n_head_kv = int(kv["qwen3.attention.head_count"]), int(kv["qwen3.attention.head_count_kv"])
        self.head_dim = int(kv["qwen3.attention.key_length"])
        factor = f32(kv.get("qwen3.rope.scaling.factor", 1.0))
        self.freq_scale = f32(1) / factor
        log_factor = f32(logf(f32(1) / self.freq_scale))
        magnitude = f32(0.1) * log_factor + f32(1) if factor > 1 else f32(1)
        self.attn_factor = magnitude * (f32(1) / (f32(1) + f32(0.1) * log_factor))
        self.n_ctx_orig = int(kv.get("qwen3.rope.scaling.original_context_length", kv["qwen3.context_length"]))
        self.freq_base = float(kv["qwen3.rope.freq_base"])
        self.kq_scale = f32(1) / f32(self.head_dim**0.5)

    def rope(self, g, x, positions):
        return g.rope_ext(x, positions, None, self.head_dim, 2, self.n_ctx_orig, self.freq_base, float(self.freq_scale),
                          1.0, float(self.attn_factor), 32.0, 1.0)


class Layer:
    "Layer 0 under construction in a ggml graph `g`: each method adds nodes and keeps them in `out` by llama.cpp's names."
    def __init__(self, ggml, g, file, p, ids):
        self.ggml, self.g, self.p, self.n, self.out = ggml, g, p, len(ids), {}
        self.weight = lambda name: g.weight(file.tensor(name))
        self.vector = lambda name: g.tensor(file.tensor(name))
        self.embd = g.get_rows(self.weight("token_embd.weight"), g.tensor(np.array(ids, np.int32)))
        self.near = g.tensor(np.arange(self.n, dtype=np.int32))

    def norm(self, x, name): return self.g.mul(self.g.rms_norm(x, self.p.eps), self.vector(f"blk.0.{name}.weight"))
    def product(self, name, x): return self.g.mul_mat(self.weight(f"blk.0.{name}.weight"), x)

    def qkv(self, far=None):
        x, g, p = self.norm(self.embd, "attn_norm"), self.g, self.p
        for letter, heads in (("Q", p.n_head), ("K", p.n_head_kv), ("V", p.n_head_kv)):
            self.out[letter] = self.product(f"attn_{letter.lower()}", x)
            if letter == "V": continue
            split = g.reshape_3d(self.out[letter], p.head_dim, heads, self.n)
            self.out[f"{letter}_normed"] = normed = self.norm(split, f"attn_{letter.lower()}_norm")
            self.out[f"{letter}_rope"] = p.rope(g, normed, self.near)
            if far is not None: self.out[f"{letter}_rope_far"] = p.rope(g, normed, far)

    def attention(self):
        g, p, n = self.g, self.p, self.n
        half = lambda x: g.cpy(x, g.tensor(np.zeros((n, p.n_head_kv, p.head_dim), np.float16)))
        self.k16, self.v16 = half(self.out["K_rope"]), half(g.reshape_3d(self.out["V"], p.head_dim, p.n_head_kv, n))
        causal = np.where(np.tri(n, dtype=bool), 0, -np.inf).astype(np.float16)
        heads_first = lambda t: g.permute(t, 0, 2, 1, 3)
        q, k, v = map(heads_first, (self.out["Q_rope"], self.k16, self.v16))
        att = g.flash_attn_ext(q, k, v, g.tensor(causal), float(p.kq_scale), 0.0, 0.0)
        self.ggml.base.ggml_prec_set_acc(att, 10)  # GGML_PREC_F32, as llama-graph.cpp sets it
        self.out["kqv_out"] = g.reshape_2d(att, p.n_head * p.head_dim, n)

    def feed_forward(self):
        g, out = self.g, self.out
        out["attn_out"] = self.product("attn_output", out["kqv_out"])
        out["ffn_inp"] = g.add(out["attn_out"], self.embd)
        out["ffn_norm"] = self.norm(out["ffn_inp"], "ffn_norm")
        out["ffn_swiglu"] = g.swiglu_split(self.product("ffn_gate", out["ffn_norm"]), self.product("ffn_up", out["ffn_norm"]))
        out["ffn_out"] = self.product("ffn_down", out["ffn_swiglu"])
        out["l_out"] = g.add(out["ffn_out"], out["ffn_inp"])


def bits(x): return f"{np.asarray(x, f32).view(np.uint32):08x}"
def digest(row): return hashlib.sha256(np.ascontiguousarray(row).tobytes()).hexdigest()
def first(row, n=3): return " ".join(f"{x:.6g}" for x in row.ravel()[:n])
def spaced(ids): return " ".join(map(str, ids))


def embed_norm(ggml, file, p, ids):
    with ggml.graph(2 << 30) as g:
        layer = Layer(ggml, g, file, p, ids)
        normed = layer.norm(layer.embd, "attn_norm")
        g.compute(layer.embd, normed, n_threads=THREADS)
        for i, a, b in zip(ids, g.read(layer.embd), g.read(normed)): yield f"{i}\t{digest(a)}\t{digest(b)}\t{first(b, 4)}"


def qkv(ggml, file, p):
    yield (f"# attn_factor {float(p.attn_factor)!r} bits {bits(p.attn_factor)} · freq_scale {float(p.freq_scale)} · "
           f"n_ctx_orig {p.n_ctx_orig} · freq_base {p.freq_base} · kq_scale bits {bits(p.kq_scale)} · far {spaced(FAR)} · "
           f"tokens {spaced(PROMPT)}")
    with ggml.graph(2 << 30) as g:
        layer = Layer(ggml, g, file, p, PROMPT)
        layer.qkv(far=g.tensor(np.array(FAR, np.int32)))
        layer.attention()
        layer.feed_forward()
        g.compute(*layer.out.values(), n_threads=THREADS)
        for name, t in layer.out.items():
            for i, row in enumerate(g.read(t).reshape(layer.n, -1)): yield f"{name}\t{i}\t{digest(row)}\t{first(row)}"


def swiglu(ggml):
    x = sweep()
    for a, b in zip(x, ggml.swiglu(x, np.ones_like(x), n_threads=THREADS)): yield f"{bits(a)}\t{bits(b)}"


def tiled(ggml, file, p, ids):
    "The table's lines, then what the split path starts from: Q, K, V of the prompt."
    lines = [f"# layer 0 kqv_out, one micro-batch of {len(ids)} rows (ggml's tiled flash attention) · tokens {spaced(ids)}"]
    with ggml.graph(2 << 30) as g:
        layer = Layer(ggml, g, file, p, ids)
        layer.qkv()
        layer.attention()
        g.compute(layer.out["kqv_out"], n_threads=THREADS)
        lines += [f"kqv_out\t{i}\t{digest(row)}\t{first(row)}" for i, row in enumerate(g.read(layer.out["kqv_out"]))]
        heads = lambda t, h: g.read(t, len(ids), h, p.head_dim)
        return lines, heads(layer.out["Q_rope"], p.n_head), heads(layer.k16, p.n_head_kv), heads(layer.v16, p.n_head_kv)


def splitkv(ggml, p, ids, q, k, v):
    yield ("# layer 0 kqv_out for one query row (the last of the 150-token prompt) over n cells; cells cycle the prompt's K/V rows · "
           f"tokens {spaced(ids)}")
    for cells in SPLIT_CELLS:
        padded = max(256, -(-cells // 256) * 256)
        fill = lambda a: np.concatenate([a[split_rows(len(ids), cells)], np.zeros((padded - cells, *a.shape[1:]), np.float16)])
        mask = np.where(np.arange(padded) < cells, 0, -np.inf).astype(np.float16)[None]
        for n in SPLIT_THREADS:
            row = ggml.flash_attn(q[-1:], fill(k), fill(v), mask, float(p.kq_scale), n_threads=n)
            yield f"kqv_out\t{cells}\t{n}\t{digest(row)}\t{first(row)}"


def main(argv):
    if len(argv) not in (2, 3): sys.exit(__doc__)
    ggml, out = Ggml(argv[1]), Path(argv[2]) if len(argv) == 3 else ROOT / ".models" / "oracle-forward"
    out.mkdir(parents=True, exist_ok=True)
    with open_model(argv[0]) as file:
        p, n_vocab = Parameters(file.kv), file.tensor("token_embd.weight").shape[0]
        if n_vocab <= max(PROMPT): raise ValueError(f"the tables' prompt needs Qwen3's vocabulary of {max(PROMPT) + 1} tokens or more, this model has {n_vocab}")
        ids = long_prompt(n_vocab)
        if len(ids) < 150: print(f"note: without {CASES} the long prompt has {len(ids)} rows, too few for tiles: run tokenizer_oracle.py first", file=sys.stderr)
        lines, *roped = tiled(ggml, file, p, ids)
        tables = dict(embed_norm=embed_norm(ggml, file, p, token_ids(n_vocab)), qkv=qkv(ggml, file, p), swiglu=swiglu(ggml), tiled=lines,
                      splitkv=splitkv(ggml, p, ids, *roped))
        for name, rows in tables.items():
            text = [*rows]
            (out / f"{name}.tsv").write_text("\n".join(text) + "\n")
            print(f"{name}: {sum(not r.startswith('#') for r in text):,} rows -> {out / name}.tsv")


if __name__ == "__main__":
    try: main(sys.argv[1:])
    except (ValueError, OSError, RuntimeError) as e: sys.exit(f"{Path(__file__).name}: {e}")
