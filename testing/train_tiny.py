"""Train the 1-bit Qwen3 that ships with the package, and write it as GGUF. Torch on a CPU; the data come from tiny_data.py.

usage: python testing/train_tiny.py train [--dir DIR] [--steps N] [--resume]   from the seed to weights.npz (latest.pt resumes)
       python testing/train_tiny.py export [--dir DIR] [--out FILE]            weights.npz to GGUF: no torch, the same bytes each time
       python testing/train_tiny.py ablate | record                            the three small runs; the logs, for the chapter
DIR is .models/train.
"""
import argparse
import hashlib
import json
import math
import random
import sys
import time
from dataclasses import asdict, dataclass
from pathlib import Path

import gguf
import numpy as np
import tiny_data as data
from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

try:
    import torch
    import torch.nn.functional as F
    from torch import nn
except ImportError:  # the exporter, the data and the tokenizer do without
    torch = None

ROOT = Path(__file__).resolve().parent.parent
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<think>", "</think>"]
TEMPLATE = ("{% for message in messages %}"
            "{{ '<|im_start|>' + message['role'] + '\n' + message['content'] + '<|im_end|>' + '\n' }}{% endfor %}"
            "{% if add_generation_prompt %}{{ '<|im_start|>assistant\n' }}{% endif %}")
QWEN2 = r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"


EMBEDDING, LOUD = "token_embd.weight", 10


@dataclass(frozen=True)
class Config:
    n_vocab: int = 1024
    n_layer: int = 4
    n_embd: int = 256
    n_head: int = 4
    n_head_kv: int = 2
    head_dim: int = 128
    n_ff: int = 512
    eps: float = 1e-6
    freq_base: float = 1e6
    yarn_factor: float = 4.0
    n_ctx_orig: int = 256
    n_ctx: int = 1024


@dataclass(frozen=True)
class Run:
    seed: int = 1
    steps: int = 9000       # of which the first `warm` ramp the rate up, and the last third brings it down
    warm: int = 100
    level: int = 1000       # from here on it falls as the root of the step
    batch: int = 8          # rows a step
    row: int = 128          # tokens a row
    lr: float = 1.5e-3
    decay: float = 0.05     # AdamW's, on matrices
    log_every: int = 20
    save_every: int = 250


# ---- tokenizer


def make_tokenizer(n_vocab, seed=0, n=40_000):
    "Byte-level BPE with Qwen2's way of cutting text, learned from the training questions (without what is spelled or repeated)."
    tok = Tokenizer(models.BPE())
    tok.pre_tokenizer = pre_tokenizers.Sequence([pre_tokenizers.Split(Regex(QWEN2), "isolated"),
                                                 pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)])
    tok.decoder = decoders.ByteLevel()
    rng, texts = random.Random(f"tokenizer {seed}"), ["user\n", "assistant\n", "system\n"] * n
    for _ in range(n):
        family = rng.choice(list(data.FAMILIES))
        question, answer = data.draw(rng, family)
        if family == "spell": question = question.replace(answer.replace("-", "")[:-1], "")
        if family == "repeat": question, answer = question.replace(answer, ""), ""
        texts.append(f"{question} {answer}")
    trainer = trainers.BpeTrainer(vocab_size=n_vocab, special_tokens=SPECIAL,
                                  initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()), show_progress=False)
    tok.train_from_iterator(texts, trainer)
    tok.add_special_tokens([AddedToken(t, special=True, normalized=False) for t in SPECIAL])
    return tok


# ---- batches


SYSTEM = ["You are a helpful assistant.", "You are Savante.", "Answer in one sentence.", "Be brief."]


def turn(tok, question, answer, system=None):
    "Ids of one turn, and which of them are learned: the answer and the marker that ends it."
    head = tok.encode(data.chatml(question, system=system)).ids
    tail = tok.encode(f"{answer}<|im_end|>\n").ids
    return head + tail, [False] * len(head) + [True] * (len(tail) - 1) + [False]


def batch(tok, run, step):
    "Rows of chats, made from the seed and the step alone: ids, learned, chat number, position in the chat."
    rng = random.Random(f"{run.seed}/{step}")
    out = np.zeros((4, run.batch, run.row + 1), np.int64)
    out[2] = -1
    for b in range(run.batch):
        at = start = chat = 0
        while True:
            new = at == 0 or rng.random() < .6
            ids, learned = turn(tok, *data.train_question(rng), rng.choice(SYSTEM) if new and rng.random() < .06 else None)
            if at + len(ids) > run.row + 1: break
            if new: chat, start = chat + 1, at
            here = slice(at, at + len(ids))
            out[0, b, here], out[1, b, here], out[2, b, here] = ids, learned, chat
            out[3, b, here] = np.arange(at - start, at - start + len(ids))
            at += len(ids)
    return out


# ---- the model


def yarn_angles(cfg, n):
    "Cosines and sines [n, head_dim/2] with YaRN's ramp and magnitude, as llama.cpp makes them from the file's metadata."
    d = cfg.head_dim
    dim = lambda turns: d * math.log(cfg.n_ctx_orig / (turns * 2 * math.pi)) / (2 * math.log(cfg.freq_base))
    low, high = max(0, math.floor(dim(32))), min(d - 1, math.ceil(dim(1)))
    pair = np.arange(d // 2)
    keep = 1 - np.clip((pair - low) / max(0.001, high - low), 0, 1)          # 1: fast pairs, as trained; 0: slow pairs, stretched
    speed = cfg.freq_base ** (-2 * pair / d)
    theta = np.arange(n)[:, None] * (speed * keep + speed / cfg.yarn_factor * (1 - keep))
    m = 1 + 0.1 * math.log(cfg.yarn_factor)
    return (np.cos(theta) * m).astype(np.float32), (np.sin(theta) * m).astype(np.float32)


def shapes(cfg):
    "Name in the GGUF file -> shape, of everything that is learned."
    d, q, k, f = cfg.n_embd, cfg.n_head * cfg.head_dim, cfg.n_head_kv * cfg.head_dim, cfg.n_ff
    layer = dict(attn_norm=(d,), attn_q=(q, d), attn_k=(k, d), attn_v=(k, d), attn_q_norm=(cfg.head_dim,), attn_k_norm=(cfg.head_dim,),
                 attn_output=(d, q),
                 ffn_norm=(d,), ffn_gate=(f, d), ffn_up=(f, d), ffn_down=(d, f))
    every = dict(token_embd=(cfg.n_vocab, d), output_norm=(d,)) | {f"blk.{i}.{n}": s for i in range(cfg.n_layer) for n, s in layer.items()}
    return {f"{n}.weight": s for n, s in every.items()}


if torch:
    class OneBit(torch.autograd.Function):
        "Forward: the sign times the mean absolute value of its group of 128, as a float16. Backward: as if nothing had happened."
        @staticmethod
        def forward(ctx, w):
            groups = w.view(w.shape[0], -1, 128)
            scale = groups.abs().mean(-1, keepdim=True).half().float()
            return torch.where(groups >= 0, scale, -scale).view_as(w)

        @staticmethod
        def backward(ctx, grad): return grad

    class Qwen3(nn.Module):
        "The architecture, on latent float32 weights. `estimator` turns latents into what multiplies."
        def __init__(self, cfg, seed=1, estimator=OneBit.apply):
            super().__init__()
            self.cfg, self.estimator = cfg, estimator
            g = torch.Generator().manual_seed(seed)
            def init(name, s):  # the embedding is loud, so that a token is heard through the layers; the last norm makes up for it
                if len(s) == 1: return torch.ones(s) / (LOUD if name == "output_norm.weight" else 1)
                size = .04 * LOUD if name == EMBEDDING else .02 if "output" in name or "down" in name else .04
                return size * torch.randn(s, generator=g)
            self.weights = nn.ParameterDict({name.replace(".", "/"): nn.Parameter(init(name, s)) for name, s in shapes(cfg).items()})
            cos, sin = yarn_angles(cfg, cfg.n_ctx)
            self.register_buffer("cos", torch.from_numpy(cos), False)
            self.register_buffer("sin", torch.from_numpy(sin), False)

        def forward(self, ids, chat=None, pos=None, pick=None):
            "Logits at every place, or where the mask `pick` is true."
            c, (n, t) = self.cfg, ids.shape
            w = {k.replace("/", "."): p if p.ndim == 1 else self.estimator(p) for k, p in self.weights.items()}
            pos = torch.arange(t).expand(n, t) if pos is None else pos
            sees = torch.ones(t, t, dtype=torch.bool).tril()
            if chat is not None: sees = sees & (chat[:, :, None] == chat[:, None, :])
            sees = sees.expand(n, t, t)[:, None]
            cos, sin = self.cos[pos][:, :, None], self.sin[pos][:, :, None]
            norm = lambda x, g: F.rms_norm(x, g.shape, g, c.eps)
            def turned(x):
                a, b = x.chunk(2, -1)
                return torch.cat([a * cos - b * sin, b * cos + a * sin], -1).transpose(1, 2)
            x = F.embedding(ids, w["token_embd.weight"])
            for i in range(c.n_layer):
                p = lambda name, i=i: w[f"blk.{i}.{name}.weight"]
                h = norm(x, p("attn_norm"))
                q, k, v = ((h @ p(f"attn_{j}").T).view(n, t, -1, c.head_dim) for j in "qkv")
                q, k = turned(norm(q, p("attn_q_norm"))), turned(norm(k, p("attn_k_norm")))
                k, v = (a.repeat_interleave(c.n_head // c.n_head_kv, 1) for a in (k, v.transpose(1, 2)))
                a = F.scaled_dot_product_attention(q, k, v, sees)
                x = x + a.transpose(1, 2).reshape(n, t, -1) @ p("attn_output").T
                h = norm(x, p("ffn_norm"))
                x = x + (F.silu(h @ p("ffn_gate").T) * (h @ p("ffn_up").T)) @ p("ffn_down").T
            if pick is not None: x = x[pick]
            return norm(x, w["output_norm.weight"]) @ w["token_embd.weight"].T


# ---- training


def rate(run, step):
    "The learning rate: up, level, then falling as the root of the step; over the last third down to nothing."
    return run.lr * min((step + 1) / run.warm, 1, (run.level / (step + 1))**.5) * min(1, (run.steps - step) / (run.steps / 3))


def signs(model): return {k: p.detach() >= 0 for k, p in model.weights.items() if p.ndim == 2}


def flipped(a, b): return sum(int((a[k] != b[k]).sum()) for k in a) / sum(v.numel() for v in a.values())


def examine(model, tok, questions, size=64):
    "family -> [right, asked]. Greedy decoding is exact if the true answer is the favourite at each of its places: one pass decides."
    score = {}
    order = sorted(range(len(questions)), key=lambda i: len(questions[i][1] + questions[i][2]))
    for at in range(0, len(order), size):
        rows = [turn(tok, *questions[i][1:]) for i in order[at:at + size]]
        t = max(len(ids) for ids, _ in rows)
        ids, learned = (torch.tensor([r[j] + [0] * (t - len(r[j])) for r in rows]) for j in (0, 1))
        with torch.no_grad(): right = (model(ids[:, :-1]).argmax(-1) == ids[:, 1:]) | ~learned[:, 1:].bool()
        for i, ok in zip(order[at:at + size], right.all(1).tolist(), strict=True):
            s = score.setdefault(questions[i][0], [0, 0])
            s[0] += ok; s[1] += 1
    return score


def table(score):
    right, asked = (sum(s[i] for s in score.values()) for i in (0, 1))
    return f"{right / asked:.3f}  " + " ".join(f"{f} {s[0] / s[1]:.2f}" for f, s in sorted(score.items()))


def optimizer(model, run):
    "AdamW: decay for matrices alone, and for the embedding steps as much larger as its latents are."
    loud = model.weights[EMBEDDING.replace(".", "/")]
    by = lambda d: [p for p in model.parameters() if p.ndim == d and p is not loud]
    groups = [dict(params=[loud], weight_decay=run.decay, times=LOUD), dict(params=by(2), weight_decay=run.decay, times=1),
              dict(params=by(1), weight_decay=0., times=1)]
    return torch.optim.AdamW(groups, lr=run.lr, betas=(.9, .98), fused=True)


def loss_of(model, rows):
    "Mean cross-entropy, in nats, of the places that are learned."
    ids, learned, chat, pos = rows
    pick = learned[:, 1:].bool()
    return F.cross_entropy(model(ids[:, :-1], chat[:, :-1], pos[:, :-1], pick), ids[:, 1:][pick])


def learn(model, opt, tok, run, step):
    "One step; returns the loss."
    for g in opt.param_groups: g["lr"] = rate(run, step) * g["times"]
    loss = loss_of(model, torch.from_numpy(batch(tok, run, step)))
    opt.zero_grad(set_to_none=True)
    loss.backward()
    nn.utils.clip_grad_norm_(model.parameters(), 1.)
    opt.step()
    return loss.item()


def save_weights(path, model, tok, cfg, run, step):
    "Latents, configuration and tokenizer in one file: all that the exporter needs."
    about = json.dumps(dict(config=asdict(cfg), run=asdict(run), step=step))
    np.savez(path, about=about, tokenizer=tok.to_str(), **{k.replace("/", "."): p.detach().numpy() for k, p in model.weights.items()})


def train(folder, run, cfg, resume=False, threads=2):
    torch.set_num_threads(threads)
    folder.mkdir(parents=True, exist_ok=True)
    tok = make_tokenizer(cfg.n_vocab)
    model = Qwen3(cfg, run.seed)
    opt, step, spent, log = optimizer(model, run), 0, 0., folder / "log.jsonl"
    if resume:
        kept = torch.load(folder / "latest.pt")
        model.load_state_dict(kept["model"]); opt.load_state_dict(kept["opt"]); step, spent = kept["step"], kept["spent"]
        first, before = kept["first"], signs(model)
        lines = [line for line in log.read_text().splitlines() if json.loads(line)["step"] <= step]
        log.write_text("".join(line + "\n" for line in lines))
    else: first = before = signs(model); log.write_text("")
    questions, start, losses = data.exam(24), time.time() - spent, []
    print(f"{sum(p.numel() for p in model.parameters()):,} parameters, {len(questions)} questions, from step {step}", flush=True)
    while step < run.steps:
        losses.append(learn(model, opt, tok, run, step))
        step += 1
        if step % run.log_every == 0:
            now = signs(model)
            line = dict(step=step, loss=round(float(np.mean(losses)), 5), lr=round(rate(run, step - 1), 7),
                        flips=round(flipped(before, now), 6), moved=round(flipped(first, now), 6), s=round(time.time() - start))
            before, losses = now, []
            if step % run.save_every < run.log_every:
                line["exam"] = {f: s for f, s in sorted(examine(model, tok, questions).items())}
                torch.save(dict(model=model.state_dict(), opt=opt.state_dict(), step=step, spent=time.time() - start, first=first),
                           folder / "latest.tmp")
                (folder / "latest.tmp").replace(folder / "latest.pt")
                save_weights(folder / "weights.npz", model, tok, cfg, run, step)
                print(table(line["exam"]), flush=True)
            with open(log, "a") as f: f.write(json.dumps(line) + "\n")
            print(*[f"{k} {v}" for k, v in line.items() if k != "exam"], flush=True)
    save_weights(folder / "weights.npz", model, tok, cfg, run, step)


def exact(w):
    "The same forward pass as OneBit with the gradient that calculus gives: a sign has none, so only the scale learns."
    groups = w.view(w.shape[0], -1, 128)
    return (torch.where(groups >= 0, 1., -1.) * groups.abs().mean(-1, keepdim=True)).view_as(w)


def ablate(folder, steps=400):
    "A small model three ways, same start, same questions: straight through, with the exact gradient, in float32 and rounded when done."
    torch.set_num_threads(2)
    cfg, run, out = Config(n_layer=2, n_embd=128, n_head=2, n_head_kv=1, n_ff=256), Run(steps=steps, warm=40), {}
    tok = make_tokenizer(cfg.n_vocab)
    for name, estimator in {"straight through": OneBit.apply, "exact gradient": exact, "float32": lambda w: w}.items():
        model = Qwen3(cfg, run.seed, estimator)
        opt, first = optimizer(model, run), signs(model)
        losses = [learn(model, opt, tok, run, step) for step in range(steps)]
        model.estimator = OneBit.apply
        with torch.no_grad():
            rounded = [loss_of(model, torch.from_numpy(batch(tok, run, step))).item() for step in range(steps, steps + 8)]
        out[name] = dict(loss=[round(float(np.mean(losses[i:i + 10])), 4) for i in range(0, steps, 10)],
                         rounded=round(float(np.mean(rounded)), 4), moved=round(flipped(first, signs(model)), 4))
        print(name, out[name]["loss"][-1], out[name]["rounded"], out[name]["moved"], flush=True)
    (folder / "ablation.json").write_text(json.dumps(out))


def record(folder, out=ROOT / "testing" / "train_log.json"):
    "Keep a run's log, and the three small runs, where the chapter finds them: a list for each column."
    lines = [json.loads(line) for line in (folder / "log.jsonl").read_text().splitlines()]
    kept = np.load(folder / "weights.npz")
    book = dict(about=json.loads(str(kept["about"])), weights_sha256=hashlib.sha256((folder / "weights.npz").read_bytes()).hexdigest(),
                log={k: [line[k] for line in lines] for k in ("step", "loss", "lr", "flips", "moved", "s")},
                exam={line["step"]: line["exam"] for line in lines if "exam" in line},
                ablation=json.loads((folder / "ablation.json").read_text()))
    out.write_text(json.dumps(book, separators=(",", ":")).replace('],"', '],\n"').replace('},"', '},\n"') + "\n")


# ---- the file


def q1_0(w):
    "Latents [rows, cols] as Q1_0 bytes [rows, cols/128 * 18]: a float16 scale, then 128 signs, lowest bit first."
    groups = w.reshape(w.shape[0], -1, 128)
    scale = np.abs(groups).mean(-1, keepdims=True).astype("<f2")
    return np.concatenate([scale.view(np.uint8), np.packbits(groups >= 0, -1, "little")], -1).reshape(w.shape[0], -1)


def export(weights, out):
    "weights.npz to GGUF; returns the file's SHA-256. No clock, no chance: the same weights give the same bytes."
    kept = np.load(weights)
    about, vocab = json.loads(str(kept["about"])), json.loads(str(kept["tokenizer"]))["model"]
    cfg = Config(**about["config"])
    tokens = sorted(vocab["vocab"], key=vocab["vocab"].get)
    w = gguf.GGUFWriter(out, "qwen3")
    w.add_name("Savante tiny")
    w.add_description("A 1-bit Qwen3 trained from scratch on generated questions (nbs/16_train.ipynb)")
    w.add_license("MIT OR Apache-2.0")
    w.add_block_count(cfg.n_layer)
    w.add_context_length(cfg.n_ctx)
    w.add_embedding_length(cfg.n_embd)
    w.add_feed_forward_length(cfg.n_ff)
    w.add_head_count(cfg.n_head)
    w.add_head_count_kv(cfg.n_head_kv)
    w.add_key_length(cfg.head_dim)
    w.add_value_length(cfg.head_dim)
    w.add_rope_freq_base(cfg.freq_base)
    w.add_layer_norm_rms_eps(cfg.eps)
    w.add_rope_scaling_type(gguf.RopeScalingType.YARN)
    w.add_rope_scaling_factor(cfg.yarn_factor)
    w.add_rope_scaling_orig_ctx_len(cfg.n_ctx_orig)
    w.add_vocab_size(cfg.n_vocab)
    w.add_tokenizer_model("gpt2")
    w.add_tokenizer_pre("qwen2")
    w.add_token_list(tokens)
    w.add_token_types([gguf.TokenType.CONTROL] * 3 + [gguf.TokenType.USER_DEFINED] * 2 + [gguf.TokenType.NORMAL] * (len(tokens) - 5))
    w.add_token_merges([m if isinstance(m, str) else " ".join(m) for m in vocab["merges"]])
    w.add_eos_token_id(tokens.index("<|im_end|>"))
    w.add_pad_token_id(tokens.index("<|endoftext|>"))
    w.add_add_bos_token(False)
    w.add_chat_template(TEMPLATE)
    for name in shapes(cfg):
        a = kept[name]
        if a.ndim == 1: w.add_tensor(name, a)
        else: w.add_tensor(name, q1_0(a), raw_dtype=gguf.GGMLQuantizationType(41))
    w.write_header_to_file(); w.write_kv_data_to_file(); w.write_tensors_to_file(); w.close()
    return hashlib.sha256(Path(out).read_bytes()).hexdigest()


def main():
    ap = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    ap.add_argument("what", choices=["train", "export", "ablate", "record"])
    ap.add_argument("--dir", type=Path, default=ROOT / ".models" / "train")
    ap.add_argument("--steps", type=int, default=Run.steps)
    ap.add_argument("--resume", action="store_true")
    ap.add_argument("--threads", type=int, default=2)
    ap.add_argument("--out", type=Path)
    args = ap.parse_args()
    if args.what == "train":
        if torch is None: sys.exit("train_tiny: training needs torch: pip install -e '.[train]'")
        train(args.dir, Run(steps=args.steps), Config(), args.resume, args.threads)
    elif args.what == "ablate": ablate(args.dir)
    elif args.what == "record": record(args.dir)
    else:
        out = args.out or args.dir / "tiny.gguf"
        print(export(args.dir / "weights.npz", out), out.stat().st_size, out)


if __name__ == "__main__": main()
