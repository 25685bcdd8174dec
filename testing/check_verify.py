#!/usr/bin/env python3
# SPDX-License-Identifier: MIT OR Apache-2.0
"""`savante verify` over a covering set: equal where it should be, and planted faults found where they were planted.

usage: check_verify.py [LIBDIR] [--shapes NAME ...]

First every tensor and logit of the runs listed below, for six shapes of model. Then copies of a model with one fault each: a flipped bit
in each kind of matrix, two heads swapped, one wrong gain of each kind of norm; the copy is run by Savante, the original by libllama, and
the report has to name tensor, layer, row and column. Three of them go through the command line. Exit 1 where something is otherwise."""
import argparse
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
from check_logits import COVER, ROOT, model_file

from savante.gguf import open_model
from savante.qwen3 import config_of
from savante.verify import verify

RUNS = [dict(length=n) for n in (1, 2, 63, 64, 65, 257, 513)] + [
    dict(length=105, chunks=[64, 1, 40], steps=3), dict(length=105, chunks=[64, 1, 40], steps=3, threads=2),
    dict(length=254, steps=4, threads=3), dict(length=510, steps=4, threads=2), dict(length=510, steps=4, threads=4),
    dict(length=150, n_ubatch=64), dict(length=150, n_ubatch=100, chunks=[120, 30]), dict(length=12, n_ubatch=1, steps=2)]
MATRICES = dict(attn_q="Qcur.MUL_MAT", attn_k="Kcur.MUL_MAT", attn_v="Vcur", attn_output="attn_out", ffn_gate="ffn_gate", ffn_up="ffn_up",
                ffn_down="ffn_out")
GAINS = dict(attn_norm="attn_norm", attn_q_norm="Qcur_normed", attn_k_norm="Kcur_normed", ffn_norm="ffn_norm")


def plant(source, target, name, change):
    "Write `target`, a copy of the model `source` whose tensor `name` is changed in place by `change(array)`."
    file, data = open_model(source), bytearray(Path(source).read_bytes())
    t = file.tensors[name]
    at = file.data_start + t["offset"]
    a = np.array(file.tensor(name))
    change(a)
    data[at:at + a.nbytes] = a.tobytes()
    assert a.nbytes == t["nbytes"]
    target.write_bytes(data)


def flip(row):
    def change(a): a[row, 2 + 18 + 5] ^= 8  # a bit of the second block
    return change


def swap_heads(head_dim):
    def change(a): a[:head_dim], a[head_dim:2 * head_dim] = a[head_dim:2 * head_dim].copy(), a[:head_dim].copy()
    return change


def nudge(i):
    def change(a): a[i] = np.nextafter(a[i], np.float32(9))
    return change


def plants(config):
    "(what, tensor of the file, change, tensor of the graph, layer, column or None where several differ)."
    layer, d = config.n_layer - 1, config.head_dim
    for m, node in MATRICES.items(): yield "one bit", f"blk.{layer}.{m}.weight", flip(37), node, layer, 37
    for m in ("attn_q", "attn_k", "attn_v"): yield "heads 0 and 1 swapped", f"blk.{layer}.{m}.weight", swap_heads(d), MATRICES[m], layer, None
    for g, node in GAINS.items(): yield "one gain, one ULP", f"blk.{layer}.{g}.weight", nudge(11), node, layer, 11
    yield "one gain, one ULP", "output_norm.weight", nudge(11), "result_norm", -1, 11
    yield "one bit", "token_embd.weight", flip(5), "embd", -1, None
    if not config.tied: yield "one bit", "output.weight", flip(37), "result_output", -1, 37


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("libdir", nargs="?")
    ap.add_argument("--shapes", nargs="+", default=list(COVER))
    args = ap.parse_args()
    start, runs, tensors, rows, logits, bad = time.time(), 0, 0, 0, 0, 0
    for name in args.shapes:
        path = model_file(name, COVER[name])
        for options in RUNS:
            r = verify(path, args.libdir, **options)
            runs, bad = runs + 1, bad + (not r.equal)
            tensors, rows, logits = tensors + r.tensors, rows + r.rows, logits + r.logits
            what = ", ".join(f"{k} {v}" for k, v in options.items())
            print(f"{'equal' if r.equal else 'DIFFERENT'}: {name}; {what}: {r.tensors:,} tensors, {r.rows:,} rows, {r.logits:,} logits"
                  + ("" if r.equal else f"; {r.difference}"), flush=True)
    name = "2 layers, 8/4 heads of 64, YaRN" if "2 layers, 8/4 heads of 64, YaRN" in args.shapes else args.shapes[-1]
    path, copy, found = model_file(name, COVER[name]), ROOT / ".models" / "planted.gguf", 0
    faults = list(plants(config_of(open_model(path))))
    for i, (what, tensor, change, node, layer, column) in enumerate(faults):
        plant(path, copy, tensor, change)
        ids = [5, 6, 7, 5]
        d = verify(copy, args.libdir, ids=ids, reference=path).difference
        right = d is not None and (d.tensor, d.layer, d.row) == (node, layer, d.row if node == "result_output" else 0)
        right = right and (column is None or d.column == column)
        if i % 6 == 0:
            command = [sys.executable, "-m", "savante", "verify", str(copy), *([args.libdir] if args.libdir else []), "--ids", "5,6,7,5",
                       "--reference", str(path)]
            done = subprocess.run(command, capture_output=True, text=True, cwd=ROOT)
            right = right and done.returncode == 1 and f"tensor {node}" in done.stdout
        found += bool(right)
        print(f"{'found' if right else 'NOT FOUND'}: {what} in {tensor}: {d}", flush=True)
    copy.unlink()
    print(f"{runs} runs, {tensors:,} tensors, {rows:,} rows and {logits:,} logits of the untraced path, {bad} runs differ; {found} of {len(faults)} planted faults found "
          f"at their place; {time.time() - start:.0f} s")
    return int(bad > 0 or found < len(faults))


if __name__ == "__main__": sys.exit(main())
