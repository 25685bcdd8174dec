#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""Reproduce every row hash of the oracle's five tables with Savante's own operations.

usage: check_tables.py GGUF [OUT]      (OUT: where forward_oracle.py wrote them, .models/oracle-forward)

Prints how many rows of each tensor agree; exit 1 where one does not."""
import sys
from collections import Counter
from pathlib import Path

import numpy as np

import forward_oracle as oracle
from savante.attention import attention, store_kv
from savante.exp import swiglu
from savante.gguf import open_model
from savante.matmul import matmul, pack
from savante.norm import rms_norm
from savante.quant import get_rows
from savante.rope import Rope, rope, rope_table


class Layer:
    "Layer 0, each tensor by the name that the tables give it."
    def __init__(self, file, ids):
        self.file, self.kv, self.n, self.out = file, file.kv, len(ids), {}
        self.eps, self.head_dim = float(self.kv["qwen3.attention.layer_norm_rms_epsilon"]), int(self.kv["qwen3.attention.key_length"])
        self.embd = get_rows(file.tensor("token_embd.weight"), np.array(ids))
        self.rope = Rope.from_metadata(self.kv, self.head_dim)

    def norm(self, x, name): return rms_norm(x, self.file.tensor(f"blk.0.{name}.weight"), self.eps)
    def product(self, name, x): return matmul(pack(self.file.tensor(f"blk.0.{name}.weight")), x)
    def turned(self, x, positions): return rope(x, *rope_table(np.array(positions), self.rope))

    def qkv(self, far=None):
        x, out = self.norm(self.embd, "attn_norm"), self.out
        for letter in "QKV":
            out[letter] = self.product(f"attn_{letter.lower()}", x)
            if letter == "V": continue
            heads = out[letter].reshape(-1, self.head_dim)
            out[f"{letter}_normed"] = normed = self.norm(heads, f"attn_{letter.lower()}_norm").reshape(self.n, -1, self.head_dim)
            out[f"{letter}_rope"] = self.turned(normed, range(self.n))
            if far: out[f"{letter}_rope_far"] = self.turned(normed, far)

    def attention(self):
        heads_kv = self.out["V"].shape[1] // self.head_dim
        self.k, self.v = (np.zeros((heads_kv, self.n, self.head_dim), np.float16) for _ in "kv")
        store_kv(self.out["K_rope"], self.k, 0)
        store_kv(self.out["V"].reshape(self.n, heads_kv, self.head_dim), self.v, 0)
        self.out["kqv_out"] = attention(self.out["Q_rope"], self.k, self.v, 0)

    def feed_forward(self):
        out = self.out
        out["attn_out"] = self.product("attn_output", out["kqv_out"])
        out["ffn_inp"] = out["attn_out"] + self.embd
        out["ffn_norm"] = self.norm(out["ffn_inp"], "ffn_norm")
        out["ffn_swiglu"] = swiglu(self.product("ffn_gate", out["ffn_norm"]), self.product("ffn_up", out["ffn_norm"]))
        out["ffn_out"] = self.product("ffn_down", out["ffn_swiglu"])
        out["l_out"] = out["ffn_out"] + out["ffn_inp"]


def ours(file, ids, prompt):
    "(table, tensor, row key, hash) of everything that the tables hold, computed here."
    layer = Layer(file, ids)
    for i, a, b in zip(ids, layer.embd, layer.norm(layer.embd, "attn_norm")):
        yield "embed_norm", "inp_embd", str(i), oracle.digest(a)
        yield "embed_norm", "attn_norm", str(i), oracle.digest(b)
    layer = Layer(file, oracle.PROMPT)
    layer.qkv(oracle.FAR)
    layer.attention()
    layer.feed_forward()
    for name, rows in layer.out.items():
        for i, row in enumerate(rows): yield "qkv", name, str(i), oracle.digest(row)
    x = oracle.sweep()
    for i, (a, b) in enumerate(zip(x, swiglu(x, np.ones_like(x)))): yield "swiglu", "swiglu", str(i), f"{oracle.bits(a)} {oracle.bits(b)}"
    layer = Layer(file, prompt)
    layer.qkv()
    layer.attention()
    for i, row in enumerate(layer.out["kqv_out"]): yield "tiled", "kqv_out", str(i), oracle.digest(row)
    for cells in oracle.SPLIT_CELLS:
        rows = oracle.split_rows(layer.n, cells)
        k, v = (np.ascontiguousarray(a[:, rows]) for a in (layer.k, layer.v))
        for n in oracle.SPLIT_THREADS:
            row = attention(layer.out["Q_rope"][-1:], k, v, cells - 1, kv_splits=n)
            yield "splitkv", "kqv_out", f"{cells} cells, {n} threads", oracle.digest(row)


def theirs(out):
    "The same keys and hashes, read from the tables."
    def lines(name): return [ln.split("\t") for ln in (out / f"{name}.tsv").read_text().splitlines() if not ln.startswith("#")]
    for i, a, b, _ in lines("embed_norm"):
        yield "embed_norm", "inp_embd", i, a
        yield "embed_norm", "attn_norm", i, b
    for name, i, h, _ in lines("qkv"): yield "qkv", name, i, h
    for i, (a, b) in enumerate(lines("swiglu")): yield "swiglu", "swiglu", str(i), f"{a} {b}"
    for name, i, h, _ in lines("tiled"): yield "tiled", name, i, h
    for name, cells, n, h, _ in lines("splitkv"): yield "splitkv", name, f"{cells} cells, {n} threads", h


def main(argv):
    if len(argv) not in (1, 2): sys.exit(__doc__)
    out = Path(argv[1]) if len(argv) == 2 else oracle.ROOT / ".models" / "oracle-forward"
    if not (out / "embed_norm.tsv").exists(): raise ValueError(f"no tables in {out}: run forward_oracle.py GGUF LIBDIR first")
    want = {row[:3]: row[3] for row in theirs(out)}
    with open_model(argv[0]) as file:
        n_vocab = file.tensor("token_embd.weight").shape[0]
        got = {row[:3]: row[3] for row in ours(file, oracle.token_ids(n_vocab), oracle.long_prompt(n_vocab))}
    if got.keys() != want.keys(): sys.exit(f"rows missing on one side: {sorted(got.keys() ^ want.keys())[:4]}")
    bad = [k for k in want if got[k] != want[k]]
    for (table, tensor), n in Counter(k[:2] for k in want).items():
        wrong = [k[2] for k in bad if k[:2] == (table, tensor)]
        print(f"{table:10s} {tensor:12s} {n:6,} rows  {f'{len(wrong):,} DIFFERENT, first: row {wrong[0]}' if wrong else 'same bits'}")
    print(f"{len(want) - len(bad):,} of {len(want):,} row hashes reproduced")
    sys.exit(bool(bad))


if __name__ == "__main__":
    try: main(sys.argv[1:])
    except (ValueError, OSError, RuntimeError) as e: sys.exit(f"{Path(__file__).name}: {e}")
