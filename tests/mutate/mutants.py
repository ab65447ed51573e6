# SPDX-License-Identifier: Apache-2.0
"""
Small changes of C source, one each: what a test must notice.

The sources are formatted by clang-format, so a tokenizer and the column of a
brace are enough; no C parser is needed. A change that does not compile costs
one failed compilation and counts neither way.
"""
import re
from dataclasses import dataclass

TOKEN = re.compile(
    r"""(?P<comment>/\*.*?\*/|//[^\n]*)
      | (?P<directive>^[ \t]*\#(?:[^\n\\]|\\.)*)
      | (?P<string>"(?:[^"\\]|\\.)*"|'(?:[^'\\]|\\.)*')
      | (?P<number>\b(?:0[xX][0-9a-fA-F]+|[0-9]+)[uUlL]*\b)
      | (?P<word>[A-Za-z_]\w*)
      | (?P<op>->|\+\+|--|<<=|>>=|<<|>>|<=|>=|==|!=|&&|\|\||[-+*/%&|^]=|[^\sA-Za-z0-9_])""",
    re.X | re.S | re.M,
)
COMPARISON = {"<": "<=", "<=": "<", ">": ">=", ">=": ">", "==": "!=", "!=": "=="}
LOGIC = {"&&": "||", "||": "&&"}
ARITHMETIC = {"+": "-", "-": "+"}
TRUTH = {"true": "false", "false": "true"}
KEYWORDS = {"return", "if", "for", "while", "do", "switch", "case", "default", "goto", "break", "continue", "else", "sizeof"}
TYPES = {"const", "struct", "union", "enum", "static", "unsigned", "int", "char", "bool", "void", "long", "size_t", "va_list", "_Atomic"}
# Parts of a finding whose values could be each other's.
PLAIN_PARTS = {"part_uint", "part_int", "part_address", "part_handle", "part_bytes"}
CONVERSION = re.compile(r"%[-+ #0]*(?:\d+|\*)?(?:\.(?:\d+|\*))?(?:hh?|ll?|[jztL])?([a-zA-Z%])")
# Hints to the compiler and the processor: nothing a program does can depend on them.
HINTS = {"__builtin_expect", "__builtin_prefetch", "__attribute__"}


@dataclass(frozen=True)
class Mutant:
    path: str
    line: int
    function: str  # "" at file level
    kind: str
    start: int  # what is replaced, in bytes of the text
    end: int
    new: str
    before: str  # the changed lines, as they were and as they are
    after: str

    def apply(self, text):
        return text[: self.start] + self.new + text[self.end :]

    def key(self):
        """What stays the same when the code around it moves."""
        return (self.function, squeeze(self.before), squeeze(self.after))


def squeeze(text):
    return " ".join(text.split())


@dataclass
class Token:
    kind: str
    text: str
    start: int
    end: int


def tokens_of(text):
    found = (Token(m.lastgroup, m.group(), m.start(), m.end()) for m in TOKEN.finditer(text))
    return [t for t in found if t.kind not in ("comment", "directive")]


def empty_return(header):
    """What leaves a function at once with the least answer; None when that cannot be said."""
    m = re.match(r"(?P<type>[\w\s*]*?)(?P<stars>\**)(?P<name>\w+)\s*\(", re.sub(r"__attribute__\(\(.*?\)\)|\bstatic\b|\binline\b|\bconst\b", " ", header))
    if not m:
        return None, ""
    name, kind = m.group("name"), m.group("type").strip()
    if "*" in m.group("stars") + kind:
        return "return NULL;", name
    if kind == "void":
        return "return;", name
    if kind == "bool":
        return "return false;", name
    return (None if kind.startswith(("struct", "union")) else "return 0;"), name


class Source:
    """The mutants of one file."""

    def __init__(self, path, text):
        self.path, self.text = path, text
        self.tokens = tokens_of(text)
        self.found = []

    def add(self, kind, start, end, new, function):
        text = self.text
        first, last = text.rfind("\n", 0, start) + 1, text.find("\n", max(end - 1, start))
        last = len(text) if last < 0 else last
        before, after = text[first:last], text[first:start] + new + text[end:last]
        self.found.append(Mutant(self.path, text.count("\n", 0, start) + 1, function, kind, start, end, new, before, after))

    def all(self):
        i, tokens = 0, self.tokens
        while i < len(tokens):
            t = tokens[i]
            if t.text == "{" and self.at_margin(t):
                close = self.closing(i)
                if self.text[t.start - 1] == "\n":
                    self.function(i, close)
                i = close
            elif t.text == "{":
                close = self.closing(i)
                if tokens[i - 1].text == "=":
                    self.table(i, close)
                i = close
            i += 1
        return self.found

    def at_margin(self, token):
        return token.start == 0 or self.text[token.start - 1] == "\n"

    def closing(self, i):
        """Index of the bracket that closes the one at i."""
        depth = 0
        for j in range(i, len(self.tokens)):
            depth += self.tokens[j].text in ("{", "(", "[")
            depth -= self.tokens[j].text in ("}", ")", "]")
            if not depth:
                return j
        return len(self.tokens) - 1

    # --- tables at file level: hooks, subscriptions, lists -------------------------
    def table(self, opening, close):
        """Each entry of a table, and each named member of a description, is left out once."""
        tokens, start, depth = self.tokens, opening + 1, 0
        for j in range(opening + 1, close + 1):
            text = tokens[j].text
            depth += text in ("{", "(", "[")
            if (text == "," or j == close) and not depth:
                if j > start and tokens[start].text in ("{", ".") and not self.is_name(start):
                    self.add("entry", tokens[start].start, tokens[j].start + (text == ","), "", "")
                start = j + 1
            depth -= text in ("}", ")", "]")

    def is_name(self, start):
        """A description without its name or its counts is no program anybody could write."""
        return self.tokens[start].text == "." and self.tokens[start + 1].text in ("name", "hooks", "n_hooks")

    # --- functions -------------------------------------------------------------------
    def function(self, opening, close):
        head = self.text.rfind("\n\n", 0, self.tokens[opening].start) + 2
        header = re.sub(r"/\*.*?\*/", "", self.text[head : self.tokens[opening].start], flags=re.S).strip()
        leave, name = empty_return(header)
        if name:
            self.statements(opening + 1, close, name, leave)
            self.expressions(opening + 1, close, name)

    def statements(self, start, close, name, leave):
        """Drops each statement; leaves before each one of the outermost block."""
        tokens, depth, i = self.tokens, 0, start
        while i < close:
            text = tokens[i].text
            if text in ("{", "}"):
                depth += 1 if text == "{" else -1
                i += 1
                continue
            if text in ("if", "while", "for", "switch"):
                if not depth and leave and not self.is_tail(i - 1):
                    self.leave_before(i, name, leave)
                i = self.closing(i + 1) + 1
                continue
            if text in ("else", "do"):
                i += 1
                continue
            if text in ("case", "default"):
                while tokens[i].text != ":":
                    i += 1
                i += 1
                continue
            end = self.statement_end(i)
            if not self.is_declaration(i):
                if not depth and leave and text != "return" and not self.is_tail(i - 1):
                    self.leave_before(i, name, leave)
                if not (text == "return" and end + 1 >= close) and text not in ("goto", ";"):
                    self.drop(i, end, name)
                if text == "return" and leave and squeeze(self.text[tokens[i].start : tokens[end].end]) not in (leave, "return 0;", "return;"):
                    self.add("answer", self.tokens[i].start, self.tokens[end].end, leave, name)
            i = end + 1

    def is_tail(self, i):
        """The statement behind token i is the body of an if or a loop, not one of the block."""
        return self.tokens[i].text in (")", "else", "do") and self.tokens[i + 1].text != "{"

    def leave_before(self, i, name, leave):
        at = self.tokens[i].start
        self.add("leave early", at, at, leave + " ", name)

    def drop(self, i, end, name):
        if self.tokens[i].text not in HINTS:
            self.add("drop", self.tokens[i].start, self.tokens[end].end, ";", name)

    def statement_end(self, i):
        depth = 0
        for j in range(i, len(self.tokens)):
            text = self.tokens[j].text
            depth += (text in ("(", "[", "{")) - (text in (")", "]", "}"))
            if text == ";" and depth <= 0:
                return j
        return len(self.tokens) - 1

    def is_declaration(self, i):
        first, second = self.tokens[i], self.tokens[i + 1]
        if first.text in TYPES:
            return True
        return first.kind == "word" and first.text not in KEYWORDS and (second.kind == "word" or second.text == "*")

    def expressions(self, start, close, name):
        tokens, i = self.tokens, start
        while i < close:
            t, before = tokens[i], tokens[i - 1]
            if t.text in HINTS:
                # The condition in it counts, what the hint says does not.
                end = self.closing(i + 1)
                if t.text == "__builtin_expect":
                    self.expressions(i + 2, end - 2, name)
                i = end
            elif t.text == "sizeof" and tokens[i + 1].text == "(":
                i = self.closing(i + 1)
            elif t.text in ("if", "while"):
                end = self.closing(i + 1)
                if self.worth_negating(i + 2, end):
                    self.add("negate", tokens[i + 1].end, tokens[end].start, f"!({self.text[tokens[i + 1].end:tokens[end].start]})", name)
            elif t.text in LOGIC:
                self.add("and/or", t.start, t.end, LOGIC[t.text], name)
            elif t.text in COMPARISON:
                self.add("comparison", t.start, t.end, COMPARISON[t.text], name)
            elif t.text in ARITHMETIC and (before.kind in ("word", "number") or before.text in (")", "]")) and before.text != "return":
                self.add("arithmetic", t.start, t.end, ARITHMETIC[t.text], name)
            elif t.text == "?":
                self.choice(i, name)
            elif t.text == "(" and before.kind == "word":
                self.swaps(i, name)
            elif t.text in TRUTH:
                self.add("truth", t.start, t.end, TRUTH[t.text], name)
            elif t.text == "!" and tokens[i + 1].text != "=":
                self.add("not", t.start, t.end, "", name)
            elif t.kind == "number" and not self.is_size(i):
                self.add("constant", t.start, t.end, self.next_number(t.text), name)
            i += 1

    def choice(self, i, name):
        """a ? b : c answers c where it answered b."""
        tokens, depth, colon, end = self.tokens, 0, None, i + 1
        while depth > 0 or tokens[end].text not in (",", ";", ")", "]", "}"):
            text = tokens[end].text
            if text == "?":
                depth += 1
            elif text == ":" and depth:
                depth -= 1
            elif text == ":" and colon is None:
                colon = end
            elif text == ":":
                break
            end = self.closing(end) + 1 if text in ("(", "[", "{") else end + 1
        if colon is not None and colon > i + 1:
            self.exchange("choice", (i + 1, colon - 1), (colon + 1, end - 1), name)

    def exchange(self, kind, one, other, name):
        """Two pieces of code, given by their first and last token, change places."""
        (a, b), (c, d) = ((self.tokens[first].start, self.tokens[last].end) for first, last in (one, other))
        if self.text[a:b] != self.text[c:d]:
            self.add(kind, a, d, self.text[c:d] + self.text[b:c] + self.text[a:b], name)

    def swaps(self, opening, name):
        """Neighbours among the parts of a finding, and among what is filled into a sentence, have each other's value."""
        arguments = self.arguments(opening)
        for one, other in zip(arguments, arguments[1:]):
            if self.alike(one, other):
                self.exchange("swap", *(self.arguments(first + 1)[1] for first, _ in (one, other)), name)
        for at, (first, last) in enumerate(arguments):
            if all(t.kind == "string" for t in self.tokens[first : last + 1]):
                self.swap_filled(arguments[at + 1 :], "".join(t.text for t in self.tokens[first : last + 1]), name)

    def swap_filled(self, arguments, sentence, name):
        filled = [c for c in CONVERSION.findall(sentence) if c != "%"]
        if len(filled) == len(arguments) and "*" not in sentence:
            for at in range(len(filled) - 1):
                if filled[at] == filled[at + 1]:
                    self.exchange("swap", arguments[at], arguments[at + 1], name)

    def alike(self, one, other):
        """Two calls like part_uint("name", value)."""
        names = [self.tokens[first].text for first, _ in (one, other)]
        return all(n.startswith("part_") for n in names) and (names[0] == names[1] or set(names) <= PLAIN_PARTS)\
            and all(self.tokens[first + 1].text == "(" and self.closing(first + 1) == last and len(self.arguments(first + 1)) == 2
                    for first, last in (one, other))

    def arguments(self, opening):
        """First and last token of each argument of a call."""
        found, start, end, i = [], opening + 1, self.closing(opening), opening + 1
        while i < end:
            if self.tokens[i].text in ("(", "[", "{"):
                i = self.closing(i)
            elif self.tokens[i].text == ",":
                found.append((start, i - 1))
                start = i + 1
            i += 1
        return found + ([(start, end - 1)] if start < end else [])

    def worth_negating(self, start, end):
        """Not when taking away a "!" or turning a "==" round does the same."""
        words = {t.text for t in self.tokens[start:end]}
        return bool(words & {"&&", "||"}) or not words & {"!", "==", "!="}

    def is_size(self, i):
        """The length of an array in its declaration."""
        return self.tokens[i - 1].text == "[" and self.tokens[i + 1].text == "]" and self.tokens[i + 2].text in ("=", ";", ",")\
            and self.tokens[i - 3].text in TYPES | {"uint64_t", "uint32_t", "uint8_t", "int64_t", "int32_t", "*", ","}

    @staticmethod
    def next_number(text):
        digits = text.rstrip("uUlL")
        suffix = text[len(digits) :]
        return (hex(int(digits, 16) + 1) if digits[:2] in ("0x", "0X") else str(int(digits) + 1)) + suffix


def mutants_of(path, text):
    return Source(path, text).all()
