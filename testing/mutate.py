"""A mutation pass: small faults put into the package one at a time; the tests have to notice each.

usage: python testing/mutate.py [--only MODULE[.KERNEL] …] [--list]
A fault is a line `where | old ~> new`; `old` stands exactly once in the module. Each is tried in a copy of the package with no compiled
kernels, on the module's own tests, stopping at the first failure. Exit 1 if the sound package fails, a fault survives, or a line here
does not fit the code any more.
"""
# ruff: noqa: E501 -- a fault is the exact text of a line
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
[check]
_rank | lowest - bits ~> lowest - bits - 1
max_ulp | np.where(nan_a | nan_b, ~> np.where(nan_a & nan_b,
compare | if got.shape != want.shape: ~> if got.size != want.size:
compare | if got.size == 0: return ~> if got.ndim > 9: return
compare | differ &= ~(np.isnan(got) & np.isnan(want)) ~> differ &= ~(np.isnan(got) | np.isnan(want))
_hash_sources | path.name.encode() + b"\0" + path.read_bytes() ~> path.name.encode() + b"\0"
_seal | f"{file.parent.name}/{file.name}\0" ~> f"{file.parent.name}\0"
_seal | f"{file.parent.name}/{file.name}\0" ~> f"{file.name}\0"
load_overload | if _seal(file, raw[32:]) == raw[:32]: ~> if raw[:32]:
_tell | except RuntimeWarning: print ~> except ZeroDivisionError: print
_thread_cap | if cap < 1: ~> if cap < 0:
_prune | if unused > days or ~> if unused < days or
kernel | if in_package and not _sources_changed() and ~> if in_package and
kernel | fastmath=False ~> fastmath=True
thread_count | if wanted > have: ~> if wanted > have + 1:
_pieces | // grain) * grain) ~> // grain) * grain + 1)
parallel | count = min(n_threads, -(-n // grain)) ~> count = min(n_threads, n // grain)
help | except BaseException as e: self.errors.append(e); ~> except BaseException as e:
wait | except KeyboardInterrupt as e: interrupt = e ~> except KeyboardInterrupt as e: raise
_Crew | os.register_at_fork(after_in_child=_crew.__init__) ~> os.register_at_fork(after_in_parent=_crew.__init__)

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
_pointer | b.gep(data, [args[1]]) ~> b.gep(data, [b.add(args[1], args[1].type(1))])
_check | and a.layout == "C" and ~> and a.layout != "A" and
_check | if store and not a.mutable: ~> if store and a.ndim > 9:
_check | t.bitwidth == int(vt.elem[1:]) ~> t.bitwidth >= int(vt.elem[1:])
_op | else got == want\n ~> else got == want or isinstance(got, types.Float)\n
_FLOAT | operator.sub: "fsub" ~> operator.sub: "fadd"
_FLOAT | operator.mul: "fmul" ~> operator.mul: "fadd"
_FLOAT | operator.truediv: "fdiv" ~> operator.truediv: "fmul"
_INT | operator.sub: "sub" ~> operator.sub: "add"
_INT | operator.mul: "mul" ~> operator.mul: "add"
_INT | operator.and_: "and_" ~> operator.and_: "or_"
_INT | operator.xor: "xor" ~> operator.xor: "or_"
splat | _splat(b, s, f32x8.llvm) ~> _splat(b, b.fneg(s), f32x8.llvm)
splat | _splat(b, s, f32x8.llvm) ~> _splat(b, b.fadd(s, s), f32x8.llvm)
splat | _splat(b, s, f32x8.llvm) ~> _splat(b, b.fmul(s, s), f32x8.llvm)
splat_i32 | _splat(b, s, i32x8.llvm) ~> _splat(b, b.add(s, s), i32x8.llvm)
splat_i32 | _splat(b, s, i32x8.llvm) ~> _splat(b, b.not_(s), i32x8.llvm)
fma | _call(b, "llvm.fma.v8f32", x.type, x, y, z) ~> b.fadd(b.fmul(x, y), z)
fma | "llvm.fma.v8f32", x.type, x, y, z ~> "llvm.fma.v8f32", x.type, x, z, y
fma | "llvm.fma.v8f32", x.type, x, y, z ~> "llvm.fma.v8f32", x.type, x, y, b.fneg(z)
fmaf | _call(b, "llvm.fma.f32", x.type, x, y, z) ~> b.fadd(b.fmul(x, y), z)
fmaf | "llvm.fma.f32", x.type, x, y, z ~> "llvm.fma.f32", x.type, x, z, y
fmaf | "llvm.fma.f32", x.type, x, y, z ~> "llvm.fma.f32", x.type, x, y, b.fneg(z)
gt | _mask(b, b.fcmp_ordered(">", x, y)) ~> _mask(b, b.fcmp_unordered(">", x, y))
gt | _mask(b, b.fcmp_ordered(">", x, y)) ~> _mask(b, b.fcmp_ordered(">", y, x))
le | b.fcmp_ordered("<=", x, y) ~> b.fcmp_unordered("<=", x, y)
le | b.fcmp_ordered("<=", x, y) ~> b.fcmp_ordered("<=", y, x)
_mask | b.sext(bit, i32x8.llvm) ~> b.zext(bit, i32x8.llvm)
select | b.select(_set(b, m), x, y) ~> b.select(_set(b, m), y, x)
select | b.select(_set(b, m), x, y) ~> b.select(_set(b, m), x, x)
select | b.icmp_signed("!=", m, ~> b.icmp_signed(">", m,
vmax | b.select(b.fcmp_ordered(">", x, y), x, y) ~> b.select(b.fcmp_ordered(">=", x, y), x, y)
vmax | b.select(b.fcmp_ordered(">", x, y), x, y) ~> b.select(b.fcmp_ordered(">", x, y), y, x)
vabs | _call(b, "llvm.fabs.v8f32", x.type, x) ~> x
vabs | _call(b, "llvm.fabs.v8f32", x.type, x) ~> b.fneg(x)
vabs | _call(b, "llvm.fabs.v8f32", x.type, x) ~> b.fadd(x, x)
rint | "llvm.rint.v8f32" ~> "llvm.round.v8f32"
rint | "llvm.rint.v8f32" ~> "llvm.floor.v8f32"
rint | "llvm.rint.v8f32" ~> "llvm.trunc.v8f32"
any_lane | b.icmp_signed("!=", b.bitcast(_set(b, m) ~> b.icmp_signed("==", b.bitcast(_set(b, m)
any_lane | b.icmp_signed("!=", b.bitcast(_set(b, m) ~> b.icmp_signed(">", b.bitcast(_set(b, m)
any_lane | ir.Constant(ir.IntType(8), 0)) ~> ir.Constant(ir.IntType(8), 1))
as_i32 | [f32x8], i32x8, lambda b, x: b.bitcast(x, i32x8.llvm) ~> [f32x8], i32x8, lambda b, x: b.fptosi(x, i32x8.llvm)
as_i32 | [f32x8], i32x8, lambda b, x: b.bitcast(x, i32x8.llvm) ~> [f32x8], i32x8, lambda b, x: b.bitcast(b.fneg(x), i32x8.llvm)
as_i32 | [f32x8], i32x8, lambda b, x: b.bitcast(x, i32x8.llvm) ~> [f32x8], i32x8, lambda b, x: b.bitcast(b.fadd(x, x), i32x8.llvm)
as_f32 | lambda b, x: b.bitcast(x, f32x8.llvm) ~> lambda b, x: b.sitofp(x, f32x8.llvm)
as_f32 | lambda b, x: b.bitcast(x, f32x8.llvm) ~> lambda b, x: b.bitcast(b.add(x, x), f32x8.llvm)
as_f32 | lambda b, x: b.bitcast(x, f32x8.llvm) ~> lambda b, x: b.fneg(b.bitcast(x, f32x8.llvm))
to_i32 | b.fptosi(x, i32x8.llvm) ~> b.fptosi(b.fneg(x), i32x8.llvm)
to_i32 | b.fptosi(x, i32x8.llvm) ~> b.bitcast(x, i32x8.llvm)
to_i32 | b.fptosi(x, i32x8.llvm) ~> b.fptosi(_call(b, "llvm.rint.v8f32", x.type, x), i32x8.llvm)
to_f32 | b.sitofp(x, f32x8.llvm) ~> b.uitofp(x, f32x8.llvm)
to_f32 | b.sitofp(x, f32x8.llvm) ~> b.bitcast(x, f32x8.llvm)
to_f32 | b.sitofp(x, f32x8.llvm) ~> b.sitofp(b.neg(x), f32x8.llvm)
to_i8 | b.trunc(x, i8x8.llvm) ~> b.trunc(b.lshr(x, _lanes(x.type, 1)), i8x8.llvm)
to_i8 | b.trunc(x, i8x8.llvm) ~> b.trunc(b.neg(x), i8x8.llvm)
to_i8 | b.trunc(x, i8x8.llvm) ~> b.trunc(b.lshr(x, _lanes(x.type, 8)), i8x8.llvm)
shl | b.shl(x, _splat(b, n, x.type)) ~> b.lshr(x, _splat(b, n, x.type))
shl | b.shl(x, _splat(b, n, x.type)) ~> b.mul(x, _splat(b, n, x.type))
shl | b.shl(x, _splat(b, n, x.type)) ~> b.shl(_splat(b, n, x.type), x)
shr | b.lshr(x, _splat(b, n, x.type)) ~> b.shl(x, _splat(b, n, x.type))
shr | b.lshr(x, _splat(b, n, x.type)) ~> b.sub(x, _splat(b, n, x.type))
extract | lambda b, x, i: b.extract_element(x, i) ~> lambda b, x, i: b.extract_element(x, b.xor(i, i.type(1)))
extract | lambda b, x, i: b.extract_element(x, i) ~> lambda b, x, i: b.extract_element(x, i.type(0))
extract | lambda b, x, i: b.extract_element(x, i) ~> lambda b, x, i: b.fneg(b.extract_element(x, i))
bits_f32 | b.bitcast(x, ir.FloatType()) ~> b.sitofp(x, ir.FloatType())
bits_f32 | b.bitcast(x, ir.FloatType()) ~> b.bitcast(b.add(x, x.type(1)), ir.FloatType())
bits_f32 | b.bitcast(x, ir.FloatType()) ~> b.fneg(b.bitcast(x, ir.FloatType()))
hsum | b.fadd(lane(quarter, 0), lane(quarter, 1)) ~> b.fadd(lane(quarter, 0), lane(quarter, 2))
lookup16 | list(range(16)) * 2 ~> list(range(15, -1, -1)) * 2
lookup16 | list(range(16)) * 2 ~> list(range(16)) + list(range(15, -1, -1))
lookup16 | index.type, wide, index) ~> index.type, index, wide)
lookup16_portable | b.and_(index, _lanes(index.type, 15)) ~> b.and_(index, _lanes(index.type, 7))
lookup16_portable | b.icmp_signed("<", index, ~> b.icmp_signed("<=", index,
lookup16_portable | for i in range(32): ~> for i in range(31):
low_nibble | lambda b, x: b.and_(x, _lanes(x.type, 15)) ~> lambda b, x: b.and_(x, _lanes(x.type, 14))
low_nibble | lambda b, x: b.and_(x, _lanes(x.type, 15)) ~> lambda b, x: b.and_(x, _lanes(x.type, 31))
low_nibble | lambda b, x: b.and_(x, _lanes(x.type, 15)) ~> lambda b, x: b.or_(x, _lanes(x.type, 15))
high_nibble | x.type), _lanes(x.type, 15)) ~> x.type), _lanes(x.type, 31))
high_nibble | x.type), _lanes(x.type, 15)) ~> x.type), _lanes(x.type, 7))
interleave | for k in (h + j, 32 + h + j)] for s in (0, 8)) ~> for k in (h + j, 32 + h + j)] for s in (8, 0))
interleave | ([k for h in (0, 16) for j ~> ([k for h in (16, 0) for j
interleave_low | _shuffle(b, x, y, _LOW8) ~> _shuffle(b, y, x, _LOW8)
interleave_low | _shuffle(b, x, y, _LOW8) ~> _shuffle(b, x, x, _LOW8)
interleave_high | _shuffle(b, x, y, _HIGH8) ~> _shuffle(b, y, x, _HIGH8)
interleave_high | _shuffle(b, x, y, _HIGH8) ~> _shuffle(b, x, x, _HIGH8)
even_i32 | even_i32 = _op("even_i32", [i16x16], i32x8, _every_other(0)) ~> even_i32 = _op("even_i32", [i16x16], i32x8, _every_other(1))
odd_i32 | odd_i32 = _op("odd_i32", [i16x16], i32x8, _every_other(1)) ~> odd_i32 = _op("odd_i32", [i16x16], i32x8, _every_other(0))
even_portable | b.ashr(wide if odd else ~> b.lshr(wide if odd else
even_portable | b.shl(wide, _lanes(wide.type, 16)), ~> b.shl(wide, _lanes(wide.type, 15)),
odd_portable | b.ashr(wide if odd else b.shl ~> b.ashr(b.shl
widen | b.fpext(b.bitcast(h, _twin(h.type, ir.HalfType())), _twin(h.type, ir.FloatType())) ~> b.sitofp(h, _twin(h.type, ir.FloatType()))
widen | b.fpext(b.bitcast(h, ~> b.fpext(b.bitcast(b.xor(h, h),
widen | return b.fpext(b.bitcast(h, _twin(h.type, ir.HalfType())), _twin(h.type, ir.FloatType())) ~> return b.fneg(b.fpext(b.bitcast(h, _twin(h.type, ir.HalfType())), _twin(h.type, ir.FloatType())))
widen_portable | k(0x7fff) ~> k(0x3fff)
widen_portable | k((128 - 16) << 23) ~> k((128 - 17) << 23)
widen_portable | b.bitcast(k(113 << 23), f32) ~> b.bitcast(k(112 << 23), f32)
widen_portable | b.and_(w, k(0x8000)) ~> b.and_(w, k(0x4000))
narrow | b.fptrunc(x, ~> b.fptrunc(b.fneg(x),
narrow | b.fptrunc(x, ~> b.fptrunc(b.fadd(x, x),
narrow | narrow = _op("narrow", [f32x8], i16x8, _narrow) ~> narrow = _op("narrow", [f32x8], i16x8, lambda b, x: b.trunc(b.lshr(b.bitcast(x, i32x8.llvm), _lanes(i32x8.llvm, 16)), i16x8.llvm))
narrow_portable | + 0xfff & 0xffffffff ~> + 0x1000 & 0xffffffff
narrow_portable | k(0x7e00), k(0x7c00)) ~> k(0x7c00), k(0x7c00))
narrow_portable | b.icmp_unsigned("<", u, k(113 << 23)) ~> b.icmp_unsigned("<", u, k(112 << 23))
narrow_portable | k((127 + 16) << 23) ~> k((127 + 15) << 23)
round_f16 | lambda b, x: _widen(b, _narrow(b, x)) ~> lambda b, x: x
round_f16 | lambda b, x: _widen(b, _narrow(b, x)) ~> lambda b, x: _widen(b, _narrow(b, b.fneg(x)))
round_f16 | lambda b, x: _widen(b, _narrow(b, x)) ~> lambda b, x: _widen(b, _narrow(b, b.fadd(x, x)))
f16_to_f32 | [types.uint16], types.float32, _widen) ~> [types.uint16], types.float32, lambda b, h: b.uitofp(h, ir.FloatType()))
f16_to_f32 | [types.uint16], types.float32, _widen) ~> [types.uint16], types.float32, lambda b, h: b.fneg(_widen(b, h)))
f16_to_f32 | [types.uint16], types.float32, _widen) ~> [types.uint16], types.float32, lambda b, h: _widen(b, b.not_(h)))
f32_to_f16 | [types.float32], types.uint16, _narrow) ~> [types.float32], types.uint16, lambda b, x: _narrow(b, b.fneg(x)))
f32_to_f16 | [types.float32], types.uint16, _narrow) ~> [types.float32], types.uint16, lambda b, x: b.not_(_narrow(b, x)))
f32_to_f16 | [types.float32], types.uint16, _narrow) ~> [types.float32], types.uint16, lambda b, x: b.trunc(b.lshr(b.bitcast(x, _I32), _I32(16)), ir.IntType(16)))
expf | for f in ("expf", ~> for f in ("exp2f",
logf | "logf", "cosf" ~> "log2f", "cosf"
sinf | "cosf", "sinf")) ~> "sinf", "cosf"))
powf | _libm_function("powf", 2) ~> _libm_function("atan2f", 2)
powf | _libm_function("powf", 2) ~> _libm_function("fmodf", 2)

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
_larger | return a if a > b else b ~> return a if a > b or a != a else b
_larger | return a if a > b else b ~> return a if a < b else b
_max32 | _larger(extract(m, 4), extract(m, 0)) ~> _larger(extract(m, 0), extract(m, 4))
_to_bytes | splat(np.float32(2147483520))), r, low) ~> splat(np.float32(2147483520))), r, high)
_to_bytes | select(gt(low, r), low, r) ~> select(gt(low, r), r, low)
_to_bytes | select(gt(r, high), high, ~> select(gt(r, high), r,
_quantize_k | if m != np.float32(0) else np.float32(0)) ~> if m != np.float32(0) else np.float32(1) / m)
_quantize_k | for i in range(at, at + 32, 8): ~> for i in range(at, at + 24, 8):

[matmul]
_turn | for half in (_LOW8, _HIGH8) ~> for half in (_HIGH8, _LOW8)
_turn | for _ in range(4) ~> for _ in range(3)
_turn | rows[j + 8] ~> rows[j + 7]
_pack_block | b.shl(odd, nibble(odd, 4)) ~> b.shl(even, nibble(odd, 4))
_pack_block | nibble(odd, 240) ~> nibble(odd, 224)
_pack_block | even, odd, first = signs[8 * pair + t], signs[8 * pair + 4 + t] ~> odd, even, first = signs[8 * pair + t], signs[8 * pair + 4 + t]
_pack_k | 18 * b + 2, row, weights ~> 18 * b + 1, row, weights
_pack_k | raw[32 * g + r, 18 * b + 1] ~> raw[32 * g + r, 18 * b + 2]
_pack_k | scales[g, b, r] = np.uint16(raw[32 * g + r, 18 * b]) ~> scales[g, b, r] = np.uint16(raw[32 * g + r, 18 * b + 1])
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
_rms_norm_k | while t < i1: ~> while t + 1 < i1:
_rms_norm_k | for i in range(x.shape[1]): a += np.float64(x[t, i] * x[t, i]) ~> for i in range(x.shape[1] - 1, -1, -1): a += np.float64(x[t, i] * x[t, i])

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
_yarn_attn_factor_k | (one / (one + tenth * logf(factor))) ~> (one / m)
_yarn_attn_factor_k | return m * (one / (one + tenth * logf(factor))) ~> return m / (one + tenth * logf(factor))
_ramp_k | max(np.float32(0.001), high - low) ~> max(np.float32(2), high - low)
_rope_k | range(half // 8 * 8, half) ~> range(half // 8 * 8 + 1, half)
_rope_k | for j in range(0, half - 7, 8): ~> for j in range(0, half - 8, 8):
from_metadata | get("scaling.type", "linear") ~> get("scaling.type", "none")
from_metadata | number("rope.scale_linear", 0) ~> 0
from_metadata | if kind == "yarn": attn_factor ~> if kind != "none": attn_factor
__post_init__ | else 1e-45) <= v < math.inf: ~> else 1e-45) <= v:

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
exp8 | splat(np.float32(192)) ~> splat(np.float32(140))
exp8 | shl(as_i32(z), 23) ~> shl(as_i32(z), 22)
exp8 | splat(_P1) * b) ~> b)
_exp_k | for i in range(i0, i1, 8): store_f32x8 ~> for i in range(i0, i1 - 8, 8): store_f32x8
_exp_k | store_f32x8(out, i, exp8(load_f32x8(x, i))) ~> store_f32x8(out, i, exp8(load_f32x8(x, i0)))
_exp_k | store_f32x8(out, i, exp8(load_f32x8(x, i))) ~> store_f32x8(out, i, exp8(splat(_ZERO) - load_f32x8(x, i)))
_exp_sum_k | exp8(load_f32x8(x, i) - m) ~> exp8(m - load_f32x8(x, i))
_exp_sum_k | outs[t] = expf(xs[t] - top) ~> outs[t] = expf(top - xs[t])
_softmax_k | top = max(top, x[r, c]) ~> top = min(top, x[r, c])
_softmax_k | for c in range(n): out[r, c] *= scale ~> for c in range(n - 1): out[r, c] *= scale
_softmax_k | top = np.float32(-np.inf) ~> top = np.float32(0)
swiglu | if width % 8 == 0: ~> if width % 4 == 0:

[attention]
_store_kv_k | (h * cache.shape[1] + n_past + i) * d ~> (h * cache.shape[1] + n_past) * d
_store_kv_k | (i * heads + h) * d\n            for j ~> (h * heads + i) * d\n            for j
_store_kv_k | for j in range(0, d, 8): store_i16x8(cache ~> for j in range(0, d - 8, 8): store_i16x8(cache
_sums | even, odd = [0, 2, 8, 10, 4, 6, 12, 14], [1, 3, 9, 11, 5, 7, 13, 15] ~> even, odd = [0, 1, 8, 9, 4, 5, 12, 13], [2, 3, 10, 11, 6, 7, 14, 15]
_sums | low, high = [0, 1, 2, 3, 8, 9, 10, 11] ~> low, high = [1, 0, 2, 3, 9, 8, 10, 11]
_sums | for x, y in zip(t[::2], t[1::2], strict=True) ~> for y, x in zip(t[::2], t[1::2], strict=True)
_dots_k | return a + a1, b + b1, c + c1, e + e1 ~> return a + a1, b + b1, c + c1, e + c1
_dots_k | a1 = fma(t, x, a1); b1 = fma(u, x, b1) ~> a1 = fma(t, x, a1); b1 = fma(t, x, b1)
_dots_k | y = load_f32x8(q, p + j + 16) ~> y = load_f32x8(q, p + j)
_scores_k | min(1, cells - 1 - c) * d ~> min(0, cells - 1 - c) * d
_scores_k | store_f32x8(part, n + 8 * _BLOCK + 8, x[3] + y[3]) ~> store_f32x8(part, n + 8 * _BLOCK + 8, x[3] + y[2])
_scores_k | for start in (0, _BLOCK): ~> for start in (0, 0):
_scores_k | range(start, start + cells, 8) ~> range(start, start + cells - 7, 8)
_weights_k | S, M = S * grow[c] + np.float32(1), s ~> S, M = S + np.float32(1), s
_weights_k | if s > M: ~> if s < M:
_weights_k | S = S + w[o + c] ~> S = S + w[o + c] * np.float32(1.0000001)
_values_k | round_f16(fma(widen(load_i16x8(v, i + j)), x, load_f32x8(acc, g * d + j))) ~> fma(widen(load_i16x8(v, i + j)), x, load_f32x8(acc, g * d + j))
_values_k | round_f16(load_f32x8(acc, j) * splat(grow[c])) ~> load_f32x8(acc, j) * splat(grow[c])
_values_k | splat(w[o + c]), at + c * d ~> splat(w[c]), at + c * d
_load_q | round_f16(load_f32x8(q, first + j)) ~> load_f32x8(q, first + j)
_piece_k | range(g, min(g + 2, group)) ~> range(g, min(g + 1, group))
_piece_k | o = (i - g) * _BLOCK ~> o = 0 * _BLOCK
_piece_k | (head * n_ctx + c) * d ~> (head * n_ctx + c0) * d
_normalise | load_f32x8(acc, j) * inv ~> load_f32x8(acc, j) / splat(S[g])
_rows_k | n_past + i % n + 1, ( ~> n_past + i % n, (
_split_k | fmaf(S[g], old, s[g] * new) ~> S[g] * old + s[g] * new
_split_k | old, new = expf(M[g] - top), expf(m[g] - top) ~> new, old = expf(M[g] - top), expf(m[g] - top)
_split_k | range(0, seen, length) ~> range(0, seen - 1, length)
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
_strings | return texts if len(texts) == n else ~> return texts if texts else
_strings | if at > end:\n ~> if at > end + 1:\n
_real | if not 0 <= v < inf: ~> if not 0 <= v:
_settings | if 0 < factor < least: ~> if 0 < factor < 0:
_settings | "yarn": 5e-5} ~> "yarn": 4e-5}
_settings | if gain > 1e30: ~> if gain > inf:
_count | not 1 <= n <= most ~> not 0 <= n <= most
_geometry | if d % 32 or d > 256: ~> if d % 32 or d > 512:
_vocabulary | types.shape != (n,) ~> types.ndim != 1
check_qwen3 | if t["dims"] != dims: ~> if t["dims"][0] != dims[0]:
check_qwen3 | if extra: ~> if len(extra) > 1:
tensor | outer[::-1], row // block * size ~> outer, row // block * size

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
