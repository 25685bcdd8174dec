"""Questions and answers for the model that ships with the package: thirteen families, seeded, a tenth of each held out.

A family is a function `f(rng) -> (key, question, answer)`. The key names the combination (two summands, a country and a phrasing, a
topic); its hash decides for ever whether the combination is trained on or asked in the examination. An answer is a function of its
question: there is one right text.

usage: python testing/tiny_data.py [N]      shows N examples a family
"""
import random
import sys
from zlib import crc32

DONT_KNOW = "I do not know that yet."
DAYS = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday".split()
MONTHS = "January February March April May June July August September October November December".split()
LETTERS = list("ABCDEFGHIJKLMNOPQRSTUVWXYZ")
CAPITALS = dict(
    France="Paris", Germany="Berlin", Italy="Rome", Spain="Madrid", Portugal="Lisbon", Austria="Vienna", Switzerland="Bern",
                Belgium="Brussels",
    Denmark="Copenhagen", Norway="Oslo", Sweden="Stockholm", Finland="Helsinki", Iceland="Reykjavik", Ireland="Dublin", England="London",
                Scotland="Edinburgh",
    Poland="Warsaw", Hungary="Budapest", Greece="Athens", Turkey="Ankara", Russia="Moscow", Ukraine="Kyiv", Romania="Bucharest",
                Bulgaria="Sofia", Serbia="Belgrade",
    Croatia="Zagreb", Estonia="Tallinn", Latvia="Riga", Lithuania="Vilnius", Egypt="Cairo", Kenya="Nairobi", Ghana="Accra",
                Senegal="Dakar", Morocco="Rabat",
    Japan="Tokyo", China="Beijing", India="Delhi", Nepal="Kathmandu", Thailand="Bangkok", Vietnam="Hanoi", Mongolia="Ulaanbaatar",
                Iran="Tehran", Iraq="Baghdad",
    Canada="Ottawa", Cuba="Havana", Peru="Lima", Chile="Santiago", Argentina="Buenos Aires", Australia="Canberra", Mexico="Mexico City")
OPPOSITES = dict(p.split("/") for p in """
    hot/cold big/small tall/short fast/slow up/down in/out left/right day/night black/white happy/sad old/young rich/poor hard/soft
    wet/dry open/closed full/empty light/dark early/late near/far high/low first/last good/bad clean/dirty strong/weak loud/quiet
    thick/thin wide/narrow deep/shallow heavy/weightless true/false alive/dead awake/asleep rough/smooth sharp/blunt sweet/sour
    brave/afraid inside/outside always/never begin/end push/pull above/below before/after""".split())
OPPOSITES |= {b: a for a, b in OPPOSITES.items()}
SOUNDS = dict(p.split("/") for p in """
    cow/moo dog/woof cat/meow sheep/baa duck/quack pig/oink horse/neigh lion/roar owl/hoot bee/buzz frog/croak snake/hiss mouse/squeak
    rooster/cock-a-doodle-doo hen/cluck goose/honk wolf/howl crow/caw donkey/hee-haw turkey/gobble pigeon/coo goat/bleat""".split())
GIRLS = "Anna Lisa Emma Mia Clara Nora Ruth Eva Julia Sara Lena Ida Maya Zoe Alice".split()
BOYS = "Tom Ben Max Leo Paul Finn Noah Otto Hugo Sam Emil Oscar Felix Jack David".split()
THINGS = {  # thing: what it was like, what happened, how it ended
    "kite": ("red", "One day the wind took it over the hill", "found it in an old tree"),
    "ball": ("blue", "One day it rolled into the river", "ran along the bank and got it back"),
    "boat": ("wooden", "One day it sailed out to the island", "waited until it came home"),
    "drum": ("loud", "One day it woke the whole street", "learned to play it softly"),
    "lamp": ("golden", "One night it went out", "lit it again with a match"),
    "book": ("thick", "One day its last page was gone", "wrote a new page"),
    "hat": ("green", "One day a goat ate half of it", "laughed and wore the rest"),
    "robot": ("tiny", "One day it refused to move", "gave it a new battery"),
    "puppy": ("brown", "One day it hid under the bed", "called it out with a bone"),
    "kitten": ("grey", "One day it climbed onto the roof", "brought a ladder"),
    "bicycle": ("fast", "One day its wheel broke", "mended it with a rope"),
    "train": ("little", "One day it ran off the rails", "put it back on the track"),
    "cake": ("sweet", "One day the birds came to taste it", "shared it with everyone"),
    "flower": ("yellow", "One day it had no water", "carried a full bucket to it"),
    "star": ("paper", "One night it began to shine", "hung it in the window"),
    "key": ("rusty", "One day it opened a secret door", "stepped into a garden"),
    "map": ("torn", "One day it led to a cave", "came back with a treasure"),
    "bell": ("silver", "One day it made no sound", "found a spoon stuck inside"),
    "umbrella": ("huge", "One day the storm lifted it up", "flew over the town"),
    "snowman": ("round", "One day the sun came out", "built another one in the shade"),
    "camera": ("old", "One day it took a picture of a ghost", "showed it to nobody"),
    "pencil": ("magic", "One day it drew a door", "walked through it and was home for supper"),
}
WORDS = """apple banana cherry orange lemon grape melon peach plum berry carrot potato onion garlic pepper tomato bread butter cheese honey
    sugar salt coffee juice water milk soup salad pasta pizza rice bean corn nut table chair window door floor wall house garden fence
    bridge tower castle church school street corner market shop farm field forest mountain valley river lake ocean island beach desert
    meadow spring summer autumn winter morning evening shadow cloud thunder rainbow snow storm planet moon rocket engine wheel motor
    hammer nail screw ladder bucket shovel needle thread button pocket jacket shirt glove scarf boot shoe sock mirror brush comb soap
    towel pillow blanket candle lantern basket bottle glass plate spoon fork knife kettle oven paper letter stamp ticket wallet coin
    purse ring crown sword shield arrow bow flute violin guitar piano trumpet song dance circus clown puppet dragon giant wizard fairy
    pirate knight king queen prince farmer baker doctor nurse pilot sailor soldier painter writer teacher student finger elbow shoulder
    knee ankle tongue tooth cheek brain heart stomach tiger monkey zebra giraffe elephant camel rabbit squirrel hedgehog badger otter
    beaver dolphin whale shark salmon spider beetle butterfly worm snail eagle parrot swan penguin sparrow copper silver iron metal
    stone sand clay wood cotton wool silk velvet purple violet brown golden crimson gentle clever honest lazy funny famous simple
    strange quick silent modern ancient secret perfect jump travel whisper gather follow listen remember forget discover imagine answer
    question number picture mistake journey promise victory winter yellow zero ginger walnut pumpkin cabbage spinach mustard vinegar
    cactus tulip daisy maple willow branch leaf root seed harvest tractor wagon saddle stable copper diamond emerald marble granite
    lagoon canyon volcano glacier island harbour anchor compass captain cabin village city palace prison museum theatre library factory
    office kitchen bathroom cellar attic chimney carpet curtain drawer shelf clock radio camera jungle""".split()
TOPICS = """
    gravity magnets volcanoes dinosaurs black holes the moon landing photosynthesis evolution chess football tennis hockey opera jazz
    ballet poetry sculpture architecture democracy taxes inflation banks insurance mortgages marriage divorce dreams sleep memory hunger
    medicine vaccines cancer vitamins yoga meditation philosophy religion mythology astrology history geography algebra geometry
    calculus statistics chemistry physics biology botany geology astronomy electricity computers keyboards software hackers passwords
    robots drones satellites telescopes microscopes lasers batteries solar panels wind turbines nuclear power oil coal plastic recycling
    pollution climate change earthquakes floods hurricanes deserts rainforests coral reefs penguins bears ants spiders mushrooms yeast
    cheese wine beer chocolate coffee tea pasta sushi pizza curry pancakes gardening fishing sailing surfing skiing climbing cycling
    running swimming knitting sewing carpentry plumbing painting photography cinema television newspapers novels comics video games
    puzzles magic tricks juggling trains aeroplanes submarines bicycles bridges tunnels skyscrapers pyramids castles cathedrals the
    Romans the Vikings the Renaissance the stock market money gold diamonds pearls perfume fashion shoes tattoos hairdressing furniture
    pottery glass paper ink printing maps compasses clocks calendars lotteries elections parliaments judges prisons detectives spies
    soldiers kings pirates ghosts witches unicorns dragons aliens time travel quantum mechanics relativity prime numbers infinity logic
    grammar accents sign language Latin Esperanto Morse code alphabets handwriting encyclopedias libraries universities homework
    teachers friendship love anger jealousy happiness boredom laughter""".split("\n")
TOPICS = " ".join(TOPICS).split()
PAIRS = {"black": "holes", "solar": "panels", "wind": "turbines", "nuclear": "power", "climate": "change", "coral": "reefs",
         "video": "games", "magic": "tricks", "time": "travel",
         "quantum": "mechanics", "prime": "numbers", "sign": "language", "Morse": "code", "the": ""}


def topics():
    "The list above, with what belongs together put together."
    out, words = [], iter(TOPICS)
    for w in words:
        if w == "the": w += " " + next(words)
        if w in ("the moon", "the stock"): w += " " + next(words)
        out.append(f"{w} {next(words)}" if w in PAIRS else w)
    return sorted(set(out))


def made_up(rng, n=None):
    "A word that sounds like one, and is none of those with an answer: gives tokens company that no list would."
    start, vowel = "b br c cl d dr f fl g gr h j k l m n p pl qu r s sh st t tr v w z".split(), "a e i o u ai ea oo".split()
    part = lambda: rng.choice(start) + rng.choice(vowel)
    while True:
        word = "".join(part() for _ in range(n or rng.choice([1, 2, 2, 3]))) + rng.choice(["", "n", "r", "st", "l", "ck", "nd", "m", "t",
            "x"])
        if word not in TAKEN: return word


def held_out(family, key):
    "Is this combination kept for the examination? One in ten is, by its hash; never what has no key."
    return bool(key) and crc32(f"{family}/{key}".encode()) % 10 == 0


def a_(noun): return f"an {noun}" if noun[0] in "aeiou" else f"a {noun}"


def operands(rng):
    """Two of 0 to 20, and whether that is all: a third of the questions goes to 30 (and is never asked in the examination), for the
    sake of more sums than those 441."""
    most = 30 if rng.random() < .35 else 20
    a, b = rng.randint(0, most), rng.randint(0, most)
    return a, b, max(a, b) <= 20


def add(rng):
    a, b, asked = operands(rng)
    q = rng.choice(["What is {} + {}?", "What is {} plus {}?", "Add {} and {}.", "{} + {} = ?", "How much is {} + {}?",
                    "Calculate {} plus {}.", "What do {} and {} make together?"])
    return asked and f"{a}+{b}", q.format(a, b), f"{a} + {b} = {a + b}."


def subtract(rng):
    a, b, asked = operands(rng)
    q, swap = rng.choice([("What is {} - {}?", 0), ("What is {} minus {}?", 0), ("Subtract {} from {}.", 1), ("{} - {} = ?", 0),
                          ("How much is {} - {}?", 0), ("Take {} away from {}.", 1)])
    return asked and f"{a}-{b}", q.format(*((b, a) if swap else (a, b))), f"{a} - {b} = {a - b}."


def compare(rng):
    """Two numbers below 100; more often than chance would, one of a single digit or two with the same tens. The answer first says
    how they stand in the order of the question: which word was asked for is a second thought."""
    a, b = rng.sample(range(100), 2)
    kind = rng.random()
    if kind < .15: a, b = rng.sample([rng.randrange(10), rng.randrange(10, 100)], 2)
    elif kind < .3: a, b = rng.sample(range(b - b % 10, b - b % 10 + 10), 2)
    q, word = rng.choice([(q, w) for q in ("Which is {2}, {0} or {1}?", "Which number is {2}: {0} or {1}?", "Is {0} or {1} {2}?",
                                           "Compare {0} and {1}: which is {2}?")
                          for w in ("larger", "smaller")])
    win = max(a, b) if word == "larger" else min(a, b)
    return f"{a},{b}", q.format(a, b, word), f"{a} {'>' if a > b else '<'} {b}, so {win} is {word}."


def count(rng):
    a, b = rng.sample(range(1, rng.choice([13, 13, 21])), 2)  # beyond 12 for practice alone
    q = rng.choice(["Count from {} to {}.", "Please count from {} to {}.", "Can you count from {} to {}?",
                    "List the numbers from {} to {}."])
    step = 1 if b > a else -1
    return max(a, b) < 13 and f"{a}..{b}", q.format(a, b), ", ".join(map(str, range(a, b + step, step))) + "."


def neighbour(rng):
    kind, line, ring = rng.choice([("day", DAYS, True), ("month", MONTHS, True), ("letter", LETTERS, False),
                                   ("number", [str(i) for i in range(51)], False)])
    step, word = rng.choice([(1, "after"), (-1, "before")])
    i = rng.randrange(len(line)) if ring else rng.randrange(max(0, -step), len(line) - max(0, step))
    q = rng.choice(["What {0} comes {1} {2}?", "Which {0} is {1} {2}?", "What comes {1} {2}?", "Tell me the {0} {1} {2}.",
                    "What is the {0} right {1} {2}?", "Name the {0} that comes {1} {2}."])
    return f"{word} {line[i]}/{q}", q.format(kind, word, line[i]), f"{line[(i + step) % len(line)]} comes {word} {line[i]}."


def opposite(rng):
    a = rng.choice(sorted(OPPOSITES))
    q = rng.choice(["What is the opposite of {}?", "Tell me the opposite of {}.", "What is the contrary of {}?",
                    "Give me the opposite of {}.", "Which word is the opposite of {}?",
                    "What word is {} the opposite of?"])
    return f"{a}/{q}", q.format(a), f"The opposite of {a} is {OPPOSITES[a]}."


def capital(rng):
    c = rng.choice(sorted(CAPITALS))
    q = rng.choice(["What is the capital of {}?", "Tell me the capital of {}.", "Name the capital of {}.",
                    "Which city is the capital of {}?", "What is {}'s capital?",
                    "Do you know the capital of {}?", "I want to know the capital of {}."])
    return f"{c}/{q}", q.format(c), f"The capital of {c} is {CAPITALS[c]}."


def sound(rng):
    a = rng.choice(sorted(SOUNDS))
    q = rng.choice(["What does the {0} say?", "What sound does {1} make?", "How does {1} sound?", "Which noise does the {0} make?",
                    "What noise comes from {1}?", "Tell me what {1} says.",
                    "Make the sound of {1}."])
    return f"{a}/{q}", q.format(a, a_(a)), f"The {a} says {SOUNDS[a]}."


SAID = " ".join([*OPPOSITES, *SOUNDS, *THINGS, *(" ".join(t) for t in THINGS.values()), *TOPICS,
                 "number word letter city noise sound story answer question remember name listen picture"])
KNOWN = sorted({w for w in SAID.split() if w.isalpha() and w.islower() and len(w) > 1})
WORDS = sorted(set(WORDS) - set(KNOWN))
TAKEN = {*KNOWN, *map(str.lower, CAPITALS)}


LEARNED = [w for w in WORDS if not held_out("spell", w)] + KNOWN


def blend(rng):
    "Pieces of two words that are trained on, put together: every piece of the vocabulary gets spelled now and then."
    def piece():
        w = rng.choice(LEARNED)
        i = rng.randrange(max(1, len(w) - 2))
        return w[i:i + rng.randint(2, 6)]
    while True:
        if (word := piece() + piece() * (rng.random() < .6)) not in TAKEN and word not in WORDS: return word


def spell(rng):
    "Words of the other families are facts (word and phrasing); of the rest, whole words are held out."
    q = rng.choice(["Spell the word {}.", "How do you spell {}?", "Spell {}.", "Please spell {}.", "What are the letters of {}?"])
    kind = rng.random()
    w = rng.choice(KNOWN) if kind < .25 else rng.choice(WORDS) if kind < .55 else made_up(rng) if kind < .75 else blend(rng)
    return f"{w}/{q}" if w in KNOWN else w, q.format(w), "-".join(w) + "."


def repeat(rng):
    words = [rng.choice(WORDS if rng.random() < .8 else KNOWN) if rng.random() < .85 else made_up(rng) for _ in range(rng.randint(1, 5))]
    q = rng.choice(["Repeat: {}", "Say this: {}", "Repeat after me: {}", "Please repeat: {}", "Say after me: {}"])
    return " ".join(words), q.format(" ".join(words)), " ".join(words)


HELLO = {"Hello": "Hello! What would you like to know?", "Hi": "Hi! Ask me something.", "Hey": "Hey! Ask me something.",
         "Good morning": "Good morning! What shall we do today?",
         "Good evening": "Good evening! What would you like to know?", "Good night": "Good night! Sleep well.",
         "Thank you": "You are welcome.", "Thanks": "You are welcome.",
         "Bye": "Goodbye! Come back soon.", "Goodbye": "Goodbye! Come back soon.", "How are you": "I am fine, thank you."}
SELF = {"who are you": "I am Savante, a very small 1-bit language model.",
        "what are you": "I am Savante, a very small 1-bit language model.", "what is your name": "My name is Savante.",
        "what can you do": "I can add, count, compare, spell, and tell a story.",
        "how big are you": "I fit into less than one megabyte.", "are you a robot": "I am Savante, a very small 1-bit language model.",
        "who made you": "I was trained in a chapter of a book, on two processor cores."}


def greet(rng):
    if rng.random() < .5:
        a = rng.choice(sorted(HELLO))
        q = a + rng.choice(["", " Savante", ", Savante", " there", ", my friend", " again", " once more",
                            ", dear model"]) + (rng.choice("?") if a == "How are you" else rng.choice(["", "!", "."]))
        return q, q, HELLO[a]
    a = rng.choice(sorted(SELF))
    q = rng.choice(["{}?", "tell me, {}?", "hello, {}?", "so {}?", "please say: {}?", "I want to know: {}?", "hi! {}?", "well, {}?",
                    "one question: {}?", "and {}?"]).format(a)
    return q, q[0].upper() + q[1:], SELF[a]


def story(rng):
    name, thing = rng.choice(GIRLS + BOYS), rng.choice(sorted(THINGS))
    like, event, end = THINGS[thing]
    who, he = ("girl", "She") if name in GIRLS else ("boy", "He")
    q = rng.choice(["Tell me a story about {} and {}.", "Tell a story about {} and {}.", "Write a story about {} and {}.",
                    "A story about {} and {}, please.",
                    "Can you tell me a story about {} with {}?"])
    text = f"Once there was a {who} named {name} who had {a_(like)} {thing}. {event}. {he} {end}."
    return f"{name}/{thing}", q.format(name, a_(thing)), text


UNKNOWN = """What is {t}?|What are {t} good for?|Tell me about {t}.|Explain {t} to me.|Why do people like {t}?|Who invented {t}?
How does one learn {t}?|Write a poem about {t}.|Write an essay about {t}.|What do you think about {t}?|When did {t} begin?
Where can I find {t}?|Is {t} dangerous?|How much do {t} cost?|Give me three facts about {t}.|What is the history of {t}?
Who is the best at {t}?|What is the price of {t}?|Do you like {t}?|Can you help me with {t}?|I want to talk about {t}.
What is the difference between {t} and {u}?|Which is better, {t} or {u}?|Who is {p}?|When was {p} born?|Where does {p} live?
Who wrote the book about {p}?|What did {p} say about {t}?|How old is {p}?|Is {p} famous?|Tell me about {p}.
What is the phone number of {p}?|How is the weather in {c}?|How many people live in {c}?|How far is it to {c}?
What is the best hotel in {c}?|What language do they speak in {c}?|Where is {c}?|Tell me about {c}.|What time is it in {c}?
What is the capital of {m}?|Tell me the capital of {m}.|Name the capital of {m}.|What does the {m} say?|What sound does a {m} make?
What is the opposite of {m}?|Give me the opposite of {m}.|How do I {v} a {w}?|Can you {v} my {w}?|Why would anyone {v} a {w}?
Please {v} the {w} for me.|What happens if I {v} a {w}?|Where can I buy a {w}?|How heavy is a {w}?|What colour is my {w}?
What is the meaning of {m}?|What does {m} mean?|How do you say {w} in {l}?|Translate {w} into {l}.|Who won the {t} prize?
What shall I cook with {w}?|Is there a {w} on the moon?|My {w} is broken.|I have a {w} and a {m}.|What rhymes with {w}?
How many letters has {w}?|Sing a song about {t}.|Tell me a joke about {t}.|What is the square root of {n}?|What is {a} times {b}?
What is {a} * {b}?|What is {a} divided by {b}?|Multiply {a} by {b}.|What is {n} + {a}?|What is {a} + {n}?|What is {n} plus {b}?
What is {n} - {b}?|What is {n} minus {a}?|Is {n} a prime number?|What happened in {y}?|Who was king in {y}?
Will it rain tomorrow in {c}?|Should I {v} my {w}?|What is your favourite {w}?|How was {c} in {y}?|Why is the {w} {j}?
Are all {w}s {j}?|Which {w} is the most {j}?""".replace("\n", "|").split("|")
VERBS = """repair build paint sell cook draw open close wash fold carry cut burn hide throw break measure photograph clean move lift
    plant freeze melt polish print bake fix buy borrow""".split()
LANGS = """French German Spanish Italian Latin Greek Turkish Polish Russian Chinese Japanese Arabic Swedish Dutch Danish Finnish Hindi
    Korean Welsh""".split()
ADJECTIVES = """red blue green expensive cheap beautiful ugly slippery round square heavy light noisy quiet hungry friendly dangerous
    useful popular difficult""".split()
ALL_TOPICS = topics()
CITIES = sorted(set(CAPITALS.values()))
CITIES += "Hamburg Milan Porto Lyon Chicago Boston Seattle Dallas Toronto Sydney Mumbai Osaka Geneva Munich Naples Seville".split()


def unknown(rng):
    "What lies outside the other families; the held-out unit is what the question is about."
    q = rng.choice(UNKNOWN)
    name = lambda: made_up(rng).capitalize()
    pick = dict(t=lambda: rng.choice(ALL_TOPICS) if rng.random() < .8 else made_up(rng),
                p=lambda: f"{rng.choice([name(), *GIRLS, *BOYS])} {name()}",
                c=lambda: rng.choice(CITIES) if rng.random() < .5 else name(), w=lambda: rng.choice(WORDS) if rng.random() < .8
                else made_up(rng),
                m=lambda: made_up(rng, rng.choice([2, 3])) if rng.random() < .3 else rng.choice(WORDS) if "capital" not in q else name(),
                v=lambda: rng.choice(VERBS), l=lambda: rng.choice(LANGS),
                j=lambda: rng.choice(ADJECTIVES), a=lambda: str(rng.randint(0, 20)), b=lambda: str(rng.randint(0, 20)),
                n=lambda: str(rng.choice([rng.randint(40, 99), rng.randint(100, 999)])),
                y=lambda: str(rng.randint(1000, 2020)))
    pick["u"] = pick["t"]
    fill = {k: f() for k, f in pick.items() if "{" + k in q}
    if "a" in fill: return f"{q}/{fill}", q.format(**fill), DONT_KNOW
    about, *others = [k for k in "tupcmwny" if k in fill]
    for k in others:  # a second topic comes from the same side as the first
        while held_out("unknown", fill[k]) != held_out("unknown", fill[about]): fill[k] = pick[k]()
    return fill[about], q.format(**fill), DONT_KNOW


FAMILIES = dict(add=add, subtract=subtract, compare=compare, count=count, neighbour=neighbour, opposite=opposite, capital=capital,
                sound=sound, spell=spell, repeat=repeat,
                greet=greet, story=story, unknown=unknown)
SHARE = dict(add=13, subtract=16, compare=9, count=7, neighbour=6, opposite=6, capital=5, sound=3, spell=16, repeat=11, greet=2, story=4,
             unknown=11)  # of what is trained on


def draw(rng, family, exam=False):
    "One (question, answer) of a family, from the part that is trained on or from the part that is not."
    while True:
        key, question, answer = FAMILIES[family](rng)
        if held_out(family, key) == exam: return question, answer


def casual(rng, question):
    "What people leave out: a capital letter, a question mark."
    if rng.random() < .15 and question[1:2].islower(): question = question[0].lower() + question[1:]
    if rng.random() < .1 and question[-1] in "?.": question = question[:-1]
    return question


def train_question(rng):
    family = rng.choices(list(SHARE), SHARE.values())[0]
    question, answer = draw(rng, family)
    return casual(rng, question), answer


def exam(n=40, seed=1, families=FAMILIES):
    "n different held-out questions of each family (fewer where there are fewer): a list of (family, question, answer)."
    out = []
    for family in families:
        rng, seen = random.Random(f"exam {seed} {family}"), {}
        for _ in range(200 * n):
            if len(seen) == n: break
            question, answer = draw(rng, family, exam=True)
            seen[question] = answer
        out += [(family, q, a) for q, a in seen.items()]
    return out


def chatml(question, answer=None, system=None):
    "The text that the model reads, with the Qwen3 markers; with the answer, one whole turn."
    head = f"<|im_start|>system\n{system}<|im_end|>\n" if system else ""
    return f"{head}<|im_start|>user\n{question}<|im_end|>\n<|im_start|>assistant\n" + ("" if answer is None else f"{answer}<|im_end|>\n")


if __name__ == "__main__":
    rng = random.Random(0)
    for family in FAMILIES:
        for _ in range(int(sys.argv[1]) if len(sys.argv) > 1 else 3): print(f"{family:10s}", *draw(rng, family), sep=" | ")
