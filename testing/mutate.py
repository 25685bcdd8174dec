"""A mutation pass: small faults put into the package one at a time; the tests have to notice each.

usage: python testing/mutate.py [--only MODULE[.KERNEL] …] [--list]
A fault is a line `where | old ~> new`; `old` stands exactly once in the module. Each is tried in a copy of the package with no compiled
kernels, on the module's own tests, stopping at the first failure. Exit 1 if the sound package fails, a fault survives, or a line here
does not fit the code any more.
"""
import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
FAULTS = r"""
[simd]
splat_i32 | splat_i32 = _op("splat_i32", [types.int32], i32x8, lambda b, s: _splat(b, s, i32x8.llvm)) ~> splat_i32 = _op("splat_i32", [types.int32], i32x8, lambda b, s: _splat(b, b.neg(s), i32x8.llvm))
le | b.fcmp_ordered("<=", x, y) ~> b.fcmp_ordered("<", x, y)
gt | gt = _op("gt", [f32x8] * 2, i32x8, lambda b, x, y: _mask(b, b.fcmp_ordered(">", x, y))) ~> gt = _op("gt", [f32x8] * 2, i32x8, lambda b, x, y: _mask(b, b.fcmp_ordered(">=", x, y)))
vmax | b.select(b.fcmp_ordered(">", x, y), x, y) ~> b.select(b.fcmp_unordered(">", x, y), x, y)
shr | b.lshr(x, _splat(b, n, x.type)) ~> b.ashr(x, _splat(b, n, x.type))
hsum | _shuffle(b, half, half, [2, 3, 2, 3]) ~> _shuffle(b, half, half, [1, 0, 3, 2])
hsum | [4, 5, 6, 7]), _shuffle(b, v, v, [0, 1, 2, 3]) ~> [4, 5, 6, 7]), _shuffle(b, v, v, [1, 0, 2, 3])
high_nibble | _lanes(pairs.type, 4) ~> _lanes(pairs.type, 3)
interleave | for k in (h + j, 32 + h + j) ~> for k in (32 + h + j, h + j)
even_i32 | [1 - odd, odd] * 8 ~> [odd, 1 - odd] * 8

[quant]
_get_rows_k | >> (i % 8) & 1 else -d ~> >> (7 - i % 8) & 1 else -d
_get_rows_k | << np.uint16(8) ~> << np.uint16(7)
_get_rows_k | 18 * b + 2 + i // 8] ~> 18 * b + 2 + i // 16]
_larger | return a if a > b else b ~> return a if a >= b else b + b
_max32 | vabs(load_f32x8(x, at + 24)) ~> vabs(load_f32x8(x, at + 16))
_max32 | _larger(_larger(m0, m2), _larger(m1, m3)) ~> _larger(_larger(m0, m2), m1)
_to_bytes | splat(np.float32(-128)), splat(np.float32(127)) ~> splat(np.float32(-127)), splat(np.float32(127))
_quantize_k | f16_to_f32(f32_to_f16(m / np.float32(127))) ~> m / np.float32(127)
_quantize_k | splat(np.float32(127) / m ~> splat(np.float32(1) / (m / np.float32(127))
_quantize_k | _to_bytes(rint(load_f32x8(x, i) * inverse)) ~> _to_bytes(load_f32x8(x, i) * inverse)

[matmul]
_pack_k | even & 15 | (odd & 15) << 4 ~> odd & 15 | (even & 15) << 4
_pack_k | weights[g, 2 * t + 1, b, pair, i] = even >> 4 | odd & 240 ~> weights[g, 2 * t + 1, b, pair, i] = even >> 4 | odd & 224
_pack_k | if r >= raw.shape[0]: continue ~> if r > raw.shape[0]: continue
_build_sums | n >> bit & 1 for n ~> n >> bit & 2 for n
_tables_k | store_i8x16(tables, t + 16, _high_bytes(s)) ~> store_i8x16(tables, t + 16, _low_bytes(s))
_tables_k | range(4 * l, q.shape[1], 32) ~> range(4 * (7 - l), q.shape[1], 32)
_lanes_k | _look_up(tables, at_t + 64, low_nibble(w23)) ~> _look_up(tables, at_t + 64, high_nibble(w23))
_lanes_k | k = load_i8x32(weights, at_w), load_i8x32(weights, at_w + 32), at_e + 4 * b ~> k = load_i8x32(weights, at_w), load_i8x32(weights, at_w + 32), at_e + 4 * 0
_lanes_k | fma(load_f32x8(scale, 32 * b + 8), c[1], a1) ~> load_f32x8(scale, 32 * b + 8) * c[1] + a1
_fold | return (t0 + t2) + (t1 + t3)\n\n@kernel\ndef _groups_k ~> return (t0 + t1) + (t2 + t3)\n\n@kernel\ndef _groups_k
_groups_k | range(n_rows - r): ~> range(n_rows - r - 1):
_groups_k | for n in range(n0, n1):\n            _lanes_k ~> for n in range(n0, n1 - 1):\n            _lanes_k
_columns_k | for c in range(min(8, len(q) - n0)): ~> for c in range(min(7, len(q) - n0)):
_pair | splat(np.float32(-128)) ~> splat(np.float32(-129))
_pair | return u + v, x + v, u + y, x + y ~> return u + v, u + y, x + v, x + y
_wide_tables_k | if k == 0 else l + h ~> if k == 1 else l + h
_select4 | x >> np.uint64(16) & mask ~> x >> np.uint64(17) & mask
_four_rows_k | load_f32x8(et, at_e + 16) ~> load_f32x8(et, at_e + 8)
_four_rows_k | np.uint64(words[np.uintp(at_w + 8)]) ~> np.uint64(words[np.uintp(at_w + 4)])
_scales4 | _load_f32x1(a, i + 9) ~> _load_f32x1(a, i + 8)
_eight_lanes_k | if b0: a = ~> if b0 > 8: a =
_write_k | (t0 + t2) + (t1 + t3)) ~> (t0 + t1) + (t2 + t3))
_matmul_wide_k | for n in range(0, len(q), 8):\n            _columns_k ~> for n in range(0, len(q) - 1, 8):\n            _columns_k

[norm]
_scale_row | np.float32(total / D) + eps ~> np.float32(total) / np.float32(D) + eps
_scale_row | x[t, i] * scale * w[i] ~> x[t, i] * (scale * w[i])
_scale_row | np.float32(1) / np.sqrt ~> np.float32(1) / np.float32(2) * np.float32(2.0000002) / np.sqrt
_rms_norm_k | a += np.float64(x[t, i] * x[t, i])\n            b ~> a += np.float64(x[t, i]) * np.float64(x[t, i])\n            b
_rms_norm_k | _scale_row(x, t + 2, c, w, eps, out) ~> _scale_row(x, t + 2, b, w, eps, out)
_rms_norm_k | while t + 4 <= i1: ~> while t + 3 <= i1:

[rope]
_ramp_k | np.floor(low)) ~> np.ceil(low))
_ramp_k | beta_slow * two ~> beta_fast * two
_ramp_k | fmaf(np.float32(0.1), logf(one / freq_scale), one) ~> np.float32(0.1) * logf(one / freq_scale)
_rope_table_k | theta *= theta_scale ~> theta = theta * theta_scale * np.float32(1.0000001)
_rope_table_k | fmaf(freq_scale * theta, np.float32(1) - mix[j], theta * mix[j]) ~> freq_scale * theta * (np.float32(1) - mix[j]) + theta * mix[j]
_rope_table_k | sinf(angle) * mscale ~> sinf(angle)
_rope_k | fma(x0, c, minus * (x1 * s)) ~> x0 * c - x1 * s
_rope_k | fma(x0, s, x1 * c)) ~> fma(x1, c, x0 * s))
_rope_k | fmaf(x0, c, -(x1 * s)) ~> fmaf(x0, c, x1 * s)
_yarn_attn_factor_k | tenth * logf(factor) + one if ~> tenth * logf(factor) if

[exp]
exp8 | fma(n, splat(_LOW), fma(n, splat(_HIGH), x)) ~> fma(n, splat(_HIGH), fma(n, splat(_LOW), x))
exp8 | splat(np.float32(126)) ~> splat(np.float32(127))
exp8 | fma(s2, j, s2) * s1 ~> fma(s2, j, s2)
_swiglu_k | while i + 8 <= i1:\n        x = ~> while i + 8 < i1:\n        x =
_swiglu_k | x / (splat(_ONE) + exp8(splat(_ZERO) - x)) * load_f32x8(up, i) ~> x * load_f32x8(up, i) / (splat(_ONE) + exp8(splat(_ZERO) - x))
_swiglu_k | expf(-gates[t]) ~> expf(gates[t])
_exp_sum_k | total += np.float64(hsum(e)) ~> total += hsum(e) + np.float32(1e-7)
_exp_sum_k | for t in range(i, i1):\n        outs[t] = expf ~> for t in range(i + 1, i1):\n        outs[t] = expf
_softmax_k | np.float32(1.0 / _exp_sum_k ~> np.float32(1.0) / np.float32(_exp_sum_k

[attention]
_store_kv_k | (h * cache.shape[1] + n_past + i) * d ~> (h * cache.shape[1] + n_past) * d
_store_kv_k | (i * heads + h) * d\n            for j ~> (h * heads + i) * d\n            for j
_store_kv_k | for j in range(0, d, 8): store_i16x8(cache ~> for j in range(0, d - 8, 8): store_i16x8(cache
_hadd | (extract(v, 1) + extract(v, 5))) + ~> (extract(v, 1) + extract(v, 7))) +
_scores_k | _hadd((v0 + v2) + (v1 + v3)) * scale\n\n ~> _hadd((v0 + v1) + (v2 + v3)) * scale\n\n
_scores2_k | u2 = fma(x, load_f32x8(q, o + d + 16), u2) ~> u2 = fma(x, load_f32x8(q, o + d + 8), u2)
_scores2_k | _hadd((u0 + u2) + (u1 + u3)) * scale ~> _hadd((u0 + u1) + (u2 + u3)) * scale
_weights_k | S, M = S * grow[c] + np.float32(1), s ~> S, M = S + np.float32(1), s
_weights_k | if s > M: ~> if s < M:
_weights_k | S = S + w[c] ~> S = S + w[c] * np.float32(1.0000001)
_values_k | round_f16(fma(widen(load_i16x8(v, i + j)), x, load_f32x8(acc, g * d + j))) ~> fma(widen(load_i16x8(v, i + j)), x, load_f32x8(acc, g * d + j))
_values2_k | round_f16(fma(value, y, load_f32x8(acc, o + d))) ~> round_f16(fma(value, x, load_f32x8(acc, o + d)))
_grown | round_f16(load_f32x8(acc, j) * splat(grow)) ~> load_f32x8(acc, j) * splat(grow)
_load_q | round_f16(load_f32x8(q, first + j)) ~> load_f32x8(q, first + j)
_piece_k | if group % 2: ~> if group % 2 > 1:
_normalise | load_f32x8(acc, j) * inv ~> load_f32x8(acc, j) / splat(S[g])
_rows_k | n_past + row + 1, scale ~> n_past + row, scale
_split_k | fmaf(S[g], old, s[g] * new) ~> S[g] * old + s[g] * new
_split_k | old, new = expf(M[g] - top), expf(m[g] - top) ~> new, old = expf(M[g] - top), expf(m[g] - top)
_split_k | range(0, n_past + 1, length) ~> range(0, n_past, length)
_gemm_k | s = _at(a, p + 3 * si) ~> s = _at(a, p + 2 * si)
_gemm_k | for j in range(0, n, 16):\n            o, p ~> for j in range(0, n - 16, 16):\n            o, p
_gemm_k | y2 = fma(s, v, y2) ~> y2 = fma(s, u, y2)
_tile_weights_k | (e0 + e2) + (e1 + e3) ~> (e0 + e1) + (e2 + e3)
_tile_weights_k | le(splat(np.float32(c)), limit) ~> gt(limit, splat(np.float32(c)))
_tile_weights_k | np.float32(np.float64(S[r + l] * grow[r + l]) + sums[l]) ~> S[r + l] * grow[r + l] + np.float32(sums[l])
_tiled_k | range(0, n_past + r0 + rows, 64) ~> range(0, n_past + r0 + rows - 1, 64)
_tiled_k | if grow[r] != np.float32(1): ~> if grow[r] > np.float32(1):

[step]
_residual_k | x[0, r] = y[0, r] + x[0, r] ~> x[0, r] = y[0, r]
_head_k | n * h, n * h + n ~> n * h, n * h + n - 1
_turned_k | _rms_norm_k(flat, gain, eps, flat, 0, 1)\n    _rope_k(y, cos, sin, y, 0, 1) ~> _rope_k(y, cos, sin, y, 0, 1)\n    _rms_norm_k(flat, gain, eps, flat, 0, 1)
_qkv_k | w.attn_k_norm[layer], eps ~> w.attn_q_norm[layer], eps
_qkv_k | elif h < heads + groups: ~> elif h <= heads + groups:
_gated_k | buf.act, 32 * i0, 32 * i1) ~> buf.act, 32 * i0, 32 * i1 - 8)
_think_k | w.ffn_norm[layer] ~> w.attn_norm[layer]
_attend_k | if length: _split_k ~> if length < 0: _split_k
_token_k | _normed_tables_k(buf.x, output_norm, eps ~> _normed_tables_k(buf.x, w.ffn_norm[0], eps
run_token | -(-padded_kv(n_past + 1) // kv_splits) ~> padded_kv(n_past + 1) // (kv_splits + 1)

[qwen3]
_attend | matmul_q(w.attn_v, *x8, n) ~> matmul_q(w.attn_k, *x8, n)
_ubatch | np.arange(self.n_past, self.n_past + len(ids)) ~> np.arange(len(ids))
_ubatch | if i == c.n_layer - 1: x, out = x[rows], out[rows] ~> if i == c.n_layer - 2: x, out = x[rows], out[rows]
forward | self.cache.n_past += len(part) ~> self.cache.n_past += 1
forward | self.cache.n_past = before ~> pass
_token | self.n_past, self.kv_splits, self._buffers ~> self.n_past, 1, self._buffers

[gguf]
need | if n > left: ~> if n > left + 1:
_header | for n, size, what in (n_kv, 14, "metadata pairs") ~> for n, size, what in (n_kv, 0, "metadata pairs")
_header | if version not in (2, 3): ~> if version not in (1, 2, 3):
_metadata | if key in kv: ~> if key in kv and False:
_alignment | for i in range(17)] ~> for i in range(32)]
_tensor | if dims[0] % block: ~> if dims[-1] % block:
_tensor | if not 1 <= n_dims <= 4: ~> if not 1 <= n_dims <= 5:
_layout | if t["offset"] != at: ~> if t["offset"] < at:
_ends | if end <= size: continue ~> if end <= size + 1: continue
parse | if t["name"] in names: ~> if t["name"] in kv:

[tokenizer]
byte_letters | *range(0xAE, 0x100)] ~> *range(0xAD, 0x100)]
SPLIT | |\p{N}"\n ~> |\p{N}+"\n
SPLIT | |\s+(?!\S)|\s+") ~> |\s+")
bpe | if not part[i] or not part[j] or part[i] + part[j] != joined: continue ~> if not part[i] or not part[j]: continue
merge_ranks | ranks.setdefault(pair, rank) ~> ranks[pair] = rank
_characters | n = 1 if b < 0x80 else 2 if 0xC0 <= b < 0xE0 ~> n = 1 if b < 0x80 else 2 if 0xC2 <= b < 0xE0
markers | sorted(special, key=lambda i: -len(self.tokens[i].encode())) ~> sorted(special, key=lambda i: len(self.tokens[i].encode()))
encode | self.markers if parse_special else self._uncut ~> self.markers if parse_special else []
StreamDecoder | return self._utf8.decode(b"", True) ~> return ""

[sampling]
top_k | order = np.argsort(-x, kind="stable")[:k] ~> order = np.argsort(-x, kind="stable")[:k + 1]
top_p | np.cumsum(share[order], dtype=np.float32) >= np.float32(p) ~> np.cumsum(share[order], dtype=np.float32) > np.float32(p)
top_p | np.cumsum(e, dtype=np.float32)[-1] ~> e.sum()
min_p | keep = x >= x.max() ~> keep = x > x.max()
penalize | y = np.where(y <= 0, ~> y = np.where(y < 1,
penalize | n * f32(frequency) + f32(presence) ~> n * f32(frequency) + n * f32(presence)
_Dice | float(low) + float(high) * 2.**32 ~> float(high) + float(low) * 2.**32
throw | total[-1] * u) ~> u)
accept | self._last.extend(ids) ~> self._last.extend(list(ids)[:-1])
greedy | int(np.argmax(x))\n    self._last ~> int(x.size - 1 - np.argmax(x[::-1]))\n    self._last

[chat]
_begins | if any(text[at:at + n] in self._set for n in self._lengths): return True ~> if any(text[at:at + n] in self._set for n in self._lengths[1:]): return True
hide | k if str(k).isidentifier() else self.hide(k) ~> k
StopStrings | for n in range(1, len(s)) if ~> for n in range(2, len(s)) if
_stream | ("length" if n == max_tokens else "context" if ~> ("context" if
_stream | if self._turn != turn: ~> if self._turn < turn:
_feed | if self.n_past > before: self._pending ~> if self.n_past < before: self._pending
_under | key in ("role", "type") ~> key in ("role",)

[template]
_tidied | if v is not None} ~> if v}
_tojson | sort_keys=False ~> sort_keys=True
_weigh | if total + len(left) > _LIMIT: ~> if total + len(left) > 1000 * _LIMIT:
"""
TESTS = {"qwen3": ["test_qwen3.py", "test_step.py"], "simd": ["test_simd.py", "test_exp.py"]}


def faults():
    "(module, where, old, new) of every line above."
    for line in FAULTS.strip().splitlines():
        if line.startswith("["): module = line.strip("[]")
        elif line:
            where, change = line.split(" | ", 1)
            yield module, where, *(part.replace(r"\n", "\n") for part in change.split(" ~> "))


def run(folder, module):
    "The module's tests in a copy of the checkout, with no compiled kernels: pytest's exit code, its last line, seconds."
    with tempfile.TemporaryDirectory() as cache:
        env = {**os.environ, "SAVANTE_CACHE_DIR": cache, "PYTHONPATH": str(folder), "PYTHONDONTWRITEBYTECODE": "1"}
        command = [sys.executable, "-m", "pytest", "-x", "-q", "-p", "no:cacheprovider", "--no-header", "--timeout", "300",
                   *(str(folder / "tests" / name) for name in TESTS.get(module, [f"test_{module}.py"]))]
        start = time.time()
        done = subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True)
        lines = [line for line in done.stdout.splitlines() if line.strip()]
        failed = [line for line in lines if line.startswith(("FAILED", "ERROR"))]
        return done.returncode, (failed or lines or ["no output"])[-1 if not failed else 0], time.time() - start


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("--only", nargs="+", help="modules to try, or kernels: matmul, matmul._pack_k")
    ap.add_argument("--list", action="store_true", help="show the faults, and check that they fit the code")
    args = ap.parse_args()
    chosen = [f for f in faults() if not args.only or f[0] in args.only or f"{f[0]}.{f[1]}" in args.only]
    source = {m: (ROOT / "savante" / f"{m}.py").read_text() for m in {f[0] for f in chosen}}
    stale = [f for f in chosen if source[f[0]].count(f[2]) != 1]
    for module, where, old, _ in stale: print(f"does not fit: {module}.{where}: {old!r} stands {source[module].count(old)} times")
    if args.list or stale:
        if args.list: print(*(f"{m}.{w}: {a!r} -> {b!r}" for m, w, a, b in chosen), f"{len(chosen)} faults", sep="\n")
        return int(bool(stale))
    bad, killed = 0, 0
    with tempfile.TemporaryDirectory() as folder:
        folder = Path(folder)
        for name in "savante", "tests", "testing", "nbs": shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
        for name in "settings.ini", "pyproject.toml", "README.md": shutil.copy(ROOT / name, folder)
        if (ROOT / ".models").exists(): (folder / ".models").symlink_to(ROOT / ".models")
        for module in dict.fromkeys(f[0] for f in chosen):
            code, said, seconds = run(folder, module)
            print(f"{'sound   ' if code == 0 else 'BROKEN  '} {module} ({seconds:.0f} s) {said}", flush=True)
            bad += code != 0
            for _, where, old, new in (f for f in chosen if f[0] == module):
                (folder / "savante" / f"{module}.py").write_text(source[module].replace(old, new))
                code, said, seconds = run(folder, module)
                (folder / "savante" / f"{module}.py").write_text(source[module])
                noticed = code in (1, 2) or code < 0  # a failing test, an import that fails, a process that dies
                print(f"{'killed  ' if noticed else 'SURVIVED'} {module}.{where}: {old.strip()[:60]!r} -> {new.strip()[:60]!r} "
                      f"({seconds:.0f} s) {said[:110]}", flush=True)
                bad, killed = bad + (not noticed), killed + noticed
    print(f"{len(chosen)} faults, {killed} noticed by the tests, {bad} complaints")
    return int(bad > 0)


if __name__ == "__main__": sys.exit(main())
