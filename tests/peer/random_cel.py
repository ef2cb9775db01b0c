#!/usr/bin/env python3
"""Random CEL expressions, devices and environments against DRA's compiler and cel-go.

    tests/peer/random_cel.py --oracle DIR/cel-oracle --dray build/dray --count 20000 --seed 7

Four kinds of expression in turn: well-typed ones grown from the signatures of every declared function (read from
the libraries' own rows), wild ones from the grammar, broken ones, made by moving tokens of the others, and large
ones: lists, texts and bytes that are doubled, joined, sliced and replaced, and what reads them. Compared:
compileError (of a syntax error only the place), type, maxCost, result, evalError, cost. Quantities with exponents
beyond 1,000 are never sent: the peer would not come back.
"""
import os
import pathlib
import re
import sys

import both

SOURCES = pathlib.Path(__file__).resolve().parents[2] / "src"
FILES = [SOURCES / "cel/lib_std.c", SOURCES / "cel/lib_ext.c"] + sorted((SOURCES / "celk8s").glob("lib_*.c"))
ROW = re.compile(r'\{\s*"([^"]+)",\s*"[^"]+",\s*"([^"]*->[^"]*)"')
# Made by macros or not declared for devices.
LEFT_OUT = {"@not_strictly_false", "__not_strictly_false__", "cel.@mapInsert", "@sortByAssociatedKeys", "_in_", "in",
            "math.@max", "math.@min", "base64.encode", "base64.decode", "json.encode", "check", "error", "errored",
            "allowed", "reason", "path", "group", "resource", "subresource", "namespace", "name", "serviceAccount",
            "fieldSelector", "labelSelector", "lists.range"}
OPERATORS = {"_+_": "+", "_-_": "-", "_*_": "*", "_/_": "/", "_%_": "%", "_==_": "==", "_!=_": "!=", "_<_": "<",
             "_<=_": "<=", "_>_": ">", "_>=_": ">=", "@in": "in", "_&&_": "&&", "_||_": "||"}
FORMS = {"!_": "!(%s)", "-_": "-(%s)", "_?_:_": "(%s ? %s : %s)", "_[_]": "%s[%s]", "_[?_]": "%s[?%s]"}
BASIC = ["int", "string", "bool", "double", "uint", "bytes", "google.protobuf.Duration", "google.protobuf.Timestamp"]
SHORT = {"duration": "google.protobuf.Duration", "timestamp": "google.protobuf.Timestamp", "null": "null_type"}
LITERALS = {
    "int": ["0", "1", "2", "-1", "3", "7", "100", "9223372036854775807"], "uint": ["0u", "1u", "5u"],
    "double": ["1.5", "0.0", "-2.25", "1e10", "3.0"], "bool": ["true", "false"],
    "string": ['"a"', '""', '"fish"', '"b,a,c"', '"10.0.0.1"', '"10.0.0.0/8"', '"1Gi"', '"1.2.3"', '"90s"', '"%s"',
               '"2024-02-29T12:30:45Z"', '"https://u@a.b:80/c?d=e"', '"日本é"', '"[a-z]+"', '"-5"', '"d.io"', '"1.5"'],
    "bytes": ['b"ab"', 'b""', 'b"\\xff"'],
    "google.protobuf.Duration": ['duration("90s")', 'duration("-1.5h")'],
    "google.protobuf.Timestamp": ['timestamp("2024-02-29T12:30:45Z")', "timestamp(0)"],
    "kubernetes.Quantity": ['quantity("1Gi")', 'quantity("1.5")', 'quantity("-3k")', 'device.capacity["d.io"].m',
                            'device.capacity["d.io"].x'],
    "kubernetes.Semver": ['semver("1.2.3")', 'semver("v1.2", true)', 'semver("1.0.0-rc.1+b")'],
    "net.IP": ['ip("10.0.0.1")', 'ip("2001:db8::1")'], "net.CIDR": ['cidr("10.0.0.0/8")', 'cidr("2001:db8::/32")'],
    "kubernetes.URL": ['url("https://u@a.b:80/c?d=e&d=f")', 'url("/p")'],
    "kubernetes.NamedFormat": ["format.dns1123Label()", "format.labelValue()", "format.uri()", "format.datetime()"],
    "null_type": ["null"], "type": ["int", "type(1)"]}
ATTRIBUTES = ['device.attributes["d.io"].%s' % a for a in
              ["i", "s", "t", "v", "ss", "is", "bs", "vs", "n", "z", "big", "nope", "e", "u"]]
WILD = (sum(LITERALS.values(), []) + ATTRIBUTES + [
    "device", "device.driver", "device.attributes", "device.capacity", "device.allowMultipleAllocations", "[]", "{}",
    "[1, 2]", '["a", "b"]', '{"a": 1}', '{1: "x"}', "optional.of(1)", "optional.none()", r'r"\d+"', "string", "list"])
MACROS1 = ["all", "exists", "exists_one", "map", "filter", "sortBy", "optMap", "optFlatMap"]
MACROS2 = ["all", "exists", "existsOne", "transformList", "transformMap", "transformMapEntry"]
TOKEN = re.compile(r'''[bBrR]{0,2}"(?:\\.|[^"\\])*"|\d+\.\d+|\w+|&&|\|\||[<>=!]=|\s+|.''', re.S)
STRAY = [chr(c) for c in (0, 9, 10, 32, 34, 39, 40, 41, 42, 46, 47, 48, 58, 63, 91, 92, 93, 96, 101, 117, 123, 125, 127,
                          0x65e5)]
# What the peer takes minutes for.
DEAR = re.compile(r"[eE][+-]?\d{3,}|\d{40,}|[nNuUmkMGTPEi]\d{5,}|%\.\d{4,}|lists\.range\((?!\d\))")
LONGEST = 700
LARGE_SHARE = float(os.environ.get("LARGE_SHARE", ".2"))
OVER = "operation cancelled: actual cost limit exceeded"
# What is ours alone, where the peer takes seconds or gigabytes.
LIMITS = ("evaluation needs too much memory", "evaluation takes too long")

DEVICES = [
    {"driver": "d.io", "attributes": {
        "i": {"int": 7}, "z": {"int": 0}, "n": {"int": -3}, "big": {"int": 9223372036854775807}, "t": {"bool": True},
        "s": {"string": "fish"}, "e": {"string": ""}, "u": {"string": "héllo 日本"}, "v": {"version": "1.10.2"},
        "p": {"version": "2.0.0-rc.1+build5"}, "other.io/s": {"string": "b,a,c"}},
     "capacity": {"m": {"value": "1Gi"}, "c": {"value": "1500m"}, "x": {"value": "0"}, "other.io/m": {"value": "12e6"}}},
    {"driver": "d.io", "allowMultipleAllocations": True, "attributes": {
        "i": {"int": -1}, "s": {"string": "10.0.0.1"}, "t": {"bool": False}, "v": {"version": "1.2.3"},
        "ss": {"strings": ["a", "fish"]}, "is": {"ints": [3, 1, 2]}, "bs": {"bools": [True, False]},
        "vs": {"versions": ["1.0.0", "2.0.0-rc.1"]}}, "capacity": {"m": {"value": "500m"}, "x": {"value": "-1"}}},
    {"driver": "d.io"}]


# Large values: how they start, how they grow ({v} is what there is so far), and what is asked of them.
LARGE = {
    "ints": (["[1, 2, 3]", "[3, 1, 2, 2]", "[7]", "lists.range(1{n})", "lists.range(1{n}).map(x, x % 5)", "[1, 1]"],
             ["{v} + {v}"] * 6 + ["{v} + [{i}]", "[{i}] + {v}", "{v} + lists.range({n})", "{v}.reverse()", "{v}.slice(0, {v}.size() / 2)",
              "{v} + {v}.map(x, x + 1)", "{v}.filter(x, x != {i})", "[{v}, {v}].flatten()", "[[{v}], [{v}, [{i}]]].flatten(2)",
              "{v}.slice({i}, {v}.size())", "{v}.distinct() + {v}", "{v}.sort()"],
             ["{v}.size() > {n}", "{i} in {v}", "{v}[{v}.size() - 1] == {i}", "{v}[{n}] > {i}", "{v} == {v}", "{v} == {v}.reverse()",
              "{v} + {v} == {v} + {v}", "{v}.distinct().size() == {i}", "{v}.sort()[0] == {i}", "{v}.sum() > {n}", "{v}.max() == {v}.min()",
              "{v}.indexOf({i}) == {n}", "{v}.lastIndexOf({i}) > {n}", "{v}.isSorted()", "{v}.all(x, x >= 0)", "{v}.exists(x, x == {n})",
              "{v}.exists_one(x, x == {i})", "{v}.map(x, x + 1).size() > 3", "{v}.filter(x, x == {i}).size() > 3",
              "{v}.sortBy(x, -x)[0] > 1", "sets.contains({v}, [{i}, {n}])", "sets.intersects({v}, [{n}])", "sets.equivalent({v}, {v})",
              "'%s'.format([{v}]).size() > {n}", "{v}.map(x, string(x)).join(',').size() > {n}", "{v}.slice({i}, {n}).size() > 1",
              "{v}.transformList(i, x, i + x).size() > 1", "{v}.transformMap(i, x, x).size() > {n}", "{v} != {v} + [1]",
              "{v}.first().hasValue() && {v}.last().value() == {i}", "[{v}, {v}].flatten().size() == {n}", "math.greatest({v}) > {i}",
              "{v}.map(x, [x]).flatten().size() > {n}", "{v}.reverse()[0] == {i}", "type({v}) == list", "{v}.includes({i})",
              "device.attributes['d.io'].is.includes({v}[0])", "lists.range({n}) == {v}", "{v}.all(x, x in {v})"]),
    "texts": (['["a", "bc"]', '["", ""]', '["b,a", "日本", "x"]', '"a,b,c,d".split(",")', '"{s}".split("")'],
              ["{v} + {v}"] * 5 + ["{v} + ['{s}']", "{v}.map(x, x + x)", "{v}.reverse()", "[{v}, {v}].flatten()", "{v}.distinct() + {v}"],
              ["{v}.size() > {n}", "{v}.join().size() > {n}", "{v}.join('{s}').size() > {n}", "{v}.join(',').split(',').size() == {v}.size()",
               "'{s}' in {v}", "{v}.sort()[0] == ''", "{v}.distinct().size() > 1", "{v}.max() > {v}.min()", "{v}.isSorted()",
               "{v}.indexOf('{s}') > {i}", "'%s'.format([{v}]).size() > {n}", "{v}.all(x, x.size() < {n})", "{v} == {v}.reverse()",
               "{v}.exists(x, x.matches('^{s}'))", "sets.contains({v}, ['{s}'])", "{v}.map(x, x.size()).sum() > {n}"]),
    "text": (['"abc"', '"{s}"', '"aaaaaaaaaa"', '"日本é,"', '""', '"a b"', 'device.attributes["d.io"].s'],
             ["{v} + {v}"] * 6 + ["{v}.replace('a', '{s}')", "{v}.replace('{s}', 'aa')", "{v}.replace('', '{s}')", "{v}.replace('a', 'bcd', {n})",
              "[{v}, {v}, {v}].join('{s}')", "{v}.lowerAscii()", "{v}.substring({i})", "'%s%s'.format([{v}, {v}])", "{v}.trim() + {v}",
              "string(bytes({v})) + {v}", "{v}.replace('a', {v})", "{v}.split('{s}').join('a')"],
             ["{v}.size() > {n}", "{v}.contains('{s}')", "{v}.contains({v})", "{v}.startsWith('{s}')", "{v}.endsWith({v})", "{v} == {v}", "{v} == '{s}'",
              "{v} != {v} + 'a'", "{v} < {v} + 'a'", "{v}.indexOf('{s}') == {n}", "{v}.lastIndexOf('{s}') > {n}", "{v}.split('{s}').size() > {n}",
              "{v}.split('').size() > {n}", "{v}.split('{s}', {i}).size() > 1", "{v}.replace('{s}', 'b').size() > {n}", "{v}.replace('a', {v}).size() > {n}",
              "{v}.charAt({n}) == 'a'", "{v}.substring({i}, {n}) == '{s}'", "{v}.matches('{s}*$')", "{v}.find('{s}+') != ''",
              "{v}.findAll('{s}').size() > {n}", "{v} in ['a', {v}]", "{v} in {{{v}: 1}}", "size({v}) == size(bytes({v}))",
              "'%d %s'.format([{v}.size(), {v}]).size() > {n}", "int({v}) > 0", "isQuantity({v})", "isSemver({v})", "isIP({v})", "isURL({v})",
              "url({v}).getHost() == 'a'", "{v}.upperAscii() == {v}", "[{v}].exists(x, x == {v} + 'a')", "type({v}) == string", "{v}.trim().size() > {n}",
              "optional.of({v}).hasValue()", "{v}.replace('', '{s}').size() > {n}", "duration({v}) > duration('1s')", "strings.quote({v}).size() > {n}",
              "{v} in ['a', 'b']", "(device.driver == 'd.io' ? {v} : 'a').size() > {n}", "dyn({v}).size() > {n}", "format.dns1123Label().validate({v}).hasValue()"]),
    "bytes": (['b"abc"', 'b"\\xff"', 'b""'], ["{v} + {v}"] * 4 + ["bytes(string({v})) + {v}"],
              ["{v}.size() > {n}", "{v} == {v}", "{v} < {v} + b'a'", "string({v}).size() > {n}", "{v} in [b'a', {v}]", "'%x'.format([{v}]).size() > {n}"]),
}


def split(text):
    """The comma-separated parts of a list of types."""
    parts, depth, part = [], 0, ""
    for ch in text:
        depth += (ch == "(") - (ch == ")")
        if ch == "," and depth == 0:
            parts.append(part.strip())
            part = ""
        else:
            part += ch
    return parts + [part.strip()] if part.strip() else parts


def read_signatures():
    """(function, receiver or None, parameters, result) of every row."""
    for file in FILES:
        for name, text in ROW.findall(file.read_text()):
            if name in LEFT_OUT or name.startswith("math.") or "authorization" in text:
                continue
            params, result = (part.strip() for part in text.rsplit("->", 1))
            receiver = None
            if not params.startswith("("):
                receiver, params = re.fullmatch(r"(.*)\.(\(.*\))", params).groups()
            yield name, receiver, split(params[1:-1]), result


SIGNATURES = list(read_signatures())


def whole(kind):
    return SHORT.get(kind, kind)


def unify(pattern, kind, bound):
    """Whether a result of this pattern can be of this type; binds single capital letters."""
    pattern, kind = whole(pattern), whole(kind)
    if re.fullmatch("[A-Z]", pattern):
        return bound.setdefault(pattern, kind) == kind
    a, b = re.fullmatch(r"([\w.]+)\((.*)\)", pattern), re.fullmatch(r"([\w.]+)\((.*)\)", kind)
    if pattern == "dyn" or not a or not b:
        return pattern == kind and pattern != "dyn"
    x, y = split(a.group(2)), split(b.group(2))
    return a.group(1) == b.group(1) and len(x) == len(y) and all(unify(p, q, bound) for p, q in zip(x, y))


class Grower:
    def __init__(self, rng):
        self.rng = rng
        self.variable = 0

    def pick(self, *items):
        return self.rng.choice(items)

    def fresh(self):
        self.variable += 1
        return self.pick("x", "y", "z", "v%d" % self.variable)

    def typed(self, kind, depth, scope=()):
        """An expression of the type, in which the variables of scope, (name, type), may occur."""
        kind = whole(kind)
        if kind in ("dyn", "any"):
            return self.pick(*ATTRIBUTES) if self.rng.random() < .5 else "dyn(%s)" % self.typed(
                self.pick(*BASIC), depth - 1, scope)
        known = [name for name, k in scope if k == kind]
        if known and self.rng.random() < .4:
            return self.pick(*known)
        if depth > 0 and self.rng.random() < .75:
            made = self.call(kind, depth - 1, scope) if self.rng.random() < .75 else self.macro(kind, depth - 1, scope)
            if made:
                return made
        return self.literal(kind, depth - 1, scope)

    def call(self, kind, depth, scope):
        for _ in range(40):
            name, receiver, params, result = self.pick(*SIGNATURES)
            bound = {}
            if unify(result, kind, bound):
                break
        else:
            return None

        def concrete(pattern):
            return re.sub(r"\b([A-Z])\b", lambda m: bound.setdefault(m.group(1), self.pick(*BASIC)), pattern)
        args = [self.typed(concrete(p), depth, scope) for p in params]
        if name in OPERATORS:
            return "(%s %s %s)" % (args[0], OPERATORS[name], args[1])
        if name in FORMS:
            return FORMS[name] % tuple(args)
        if name == "_?._":
            return args[0] + ".?a"
        if receiver is None:
            return "%s(%s)" % (name, ", ".join(args))
        return "%s.%s(%s)" % (self.typed(concrete(receiver), depth, scope), name, ", ".join(args))

    def macro(self, kind, depth, scope):
        item, v = self.pick(*BASIC), self.fresh()
        over = lambda k: "list(%s)" % k
        if kind == "bool":
            roll = self.rng.random()
            if roll < .4:
                return "%s.%s(%s, %s)" % (self.typed(over(item), depth, scope), self.pick("all", "exists", "exists_one"), v,
                                          self.typed("bool", depth, scope + ((v, item),)))
            if roll < .6:
                return "%s.%s(k, %s, %s)" % (self.typed("map(string, %s)" % item, depth, scope),
                                             self.pick("all", "exists", "existsOne"), v,
                                             self.typed("bool", depth, scope + ((v, item), ("k", "string"))))
            if roll < .8:
                return "has(%s.%s)" % (self.pick('device.attributes["d.io"]', "device.attributes.d",
                                                 'device.capacity["d.io"]', self.typed("map(string, int)", depth, scope)),
                                       self.pick("a", "i", "s"))
            return '(%s in device.attributes["d.io"])' % self.typed("string", depth, scope)
        outer = re.fullmatch(r"([\w.]+)\((.*)\)", kind)
        if outer and outer.group(1) == "list":
            inner = outer.group(2)
            return self.pick(
                lambda: "%s.map(%s, %s)" % (self.typed(over(item), depth, scope), v,
                                            self.typed(inner, depth, scope + ((v, item),))),
                lambda: "%s.filter(%s, %s)" % (self.typed(kind, depth, scope), v,
                                               self.typed("bool", depth, scope + ((v, inner),))),
                lambda: "%s.sortBy(%s, %s)" % (self.typed(kind, depth, scope), v,
                                               self.typed("int", depth, scope + ((v, inner),))),
                lambda: "%s.transformList(k, %s, %s)" % (self.typed(over(item), depth, scope), v, self.typed(
                    inner, depth, scope + ((v, item), ("k", "int")))))()
        if outer and outer.group(1) == "map":
            key, value = split(outer.group(2))
            return "%s.transformMap(k, %s, %s)" % (self.typed("map(%s, %s)" % (key, item), depth, scope), v,
                                                   self.typed(value, depth, scope + ((v, item), ("k", key))))
        if outer and outer.group(1) == "optional_type":
            return "%s.optMap(%s, %s)" % (self.typed("optional_type(%s)" % item, depth, scope), v,
                                          self.typed(outer.group(2), depth, scope + ((v, item),)))
        return "cel.bind(%s, %s, %s)" % (v, self.typed(item, depth, scope), self.typed(kind, depth, scope + ((v, item),)))

    def literal(self, kind, depth, scope):
        if kind in LITERALS:
            return self.pick(*LITERALS[kind])
        outer = re.fullmatch(r"([\w.]+)\((.*)\)", kind)
        if not outer:
            return "dyn(1)"
        name, inner = outer.groups()
        if name == "list":
            return "[%s]" % ", ".join(self.typed(inner, depth, scope) for _ in range(self.rng.randint(0, 3)))
        if name == "map":
            key, value = split(inner)
            return "{%s}" % ", ".join("%s: %s" % (self.typed(key, depth, scope), self.typed(value, depth, scope))
                                      for _ in range(self.rng.randint(0, 2)))
        if name == "optional_type":
            return "optional.of(%s)" % self.typed(inner, depth, scope) if self.rng.random() < .8 else "optional.none()"
        return "type(%s)" % self.typed(inner, depth, scope) if name == "type" else "dyn(1)"

    def wild(self, depth, scope=()):
        rng, more = self.rng, lambda *names: self.wild(depth - 1, scope + names)
        if depth <= 0 or rng.random() < .22:
            return self.pick(*scope) if scope and rng.random() < .5 else self.pick(*WILD)
        mark = lambda: self.pick("", "", "", "?")
        v = self.pick("x", "y", "v")
        name, receiver, params, _ = self.pick(*SIGNATURES)
        args = [self.wild(depth - 2, scope) for _ in params]
        if rng.random() < .1:
            args = args[1:] or [more()]
        if not name[0].isalpha() or name.startswith("math"):
            name, receiver = self.pick("size", "string", "type", "matches"), None
        return self.pick(
            lambda: "(%s %s %s)" % (more(), self.pick(*OPERATORS.values()), more()),
            lambda: "(%s %s %s)" % (more(), self.pick(*OPERATORS.values()), more()),
            lambda: self.pick("!", "-") + more(),
            lambda: "(%s ? %s : %s)" % (more(), more(), more()),
            lambda: more() + self.pick("[%s]", "[?%s]").replace("%s", more()),
            lambda: more() + self.pick(".a", ".?a", ".i", ".s", ".name"),
            lambda: "[%s]" % ", ".join(mark() + more() for _ in range(rng.randint(0, 3))),
            lambda: "{%s}" % ", ".join("%s%s: %s" % (mark(), more(), more()) for _ in range(rng.randint(0, 2))),
            lambda: "%s.%s(%s, %s)" % (more(), self.pick(*MACROS1), v, more(v)),
            lambda: "%s.%s(k, %s, %s)" % (more(), self.pick(*MACROS2), v, more(v, "k")),
            lambda: "cel.bind(%s, %s, %s)" % (v, more(), more(v)),
            lambda: "has(%s.%s)" % (more(), self.pick("a", "i", "s")),
            lambda: ("%s." % more() if receiver is not None else "") + "%s(%s)" % (name, ", ".join(args)))()

    def broken(self, text, other):
        tokens, others = TOKEN.findall(text), TOKEN.findall(other)
        for _ in range(self.rng.randint(1, 2)):
            i, roll = self.rng.randrange(len(tokens) + 1), self.rng.random()
            a = self.rng.randrange(len(others) + 1)
            piece = others[a:a + self.rng.randint(1, 6)]
            if roll < .25:
                tokens[i:i + 1] = piece[:1]
            elif roll < .4:
                del tokens[i:i + 1]
            elif roll < .6:
                tokens[i:i] = piece
            elif roll < .8:
                tokens[i:i + self.rng.randint(1, 4)] = piece
            else:
                tokens[i:i] = [self.pick(*STRAY)]
        return "".join(tokens)

    def large(self):
        """Values that grow by steps, each bound to a name, and a question about the last."""
        rng, steps = self.rng, []
        kind = self.pick(*LARGE)
        starts, growths, questions = LARGE[kind]

        def fill(text, name):
            for mark, items in (("{n}", (0, 1, 5, 100, 1000, 9000)), ("{i}", (0, 1, 2, 3, 7)), ("{s}", ("a", "b", "ab", ",", "x"))):
                while mark in text:
                    text = text.replace(mark, str(rng.choice(items)), 1)
            return text.replace("{{", "{").replace("}}}", "}}").replace("{v}", name).replace("}}", "}")
        steps.append(fill(rng.choice(starts), ""))
        for i in range(rng.randint(0, rng.choice((3, 7, 10) if kind in ("ints", "texts") else (4, 10, 16)))):
            steps.append(fill(rng.choice(growths[:1] if rng.random() < .5 else growths), "v%d" % i))
        body = fill(rng.choice(questions), "v%d" % (len(steps) - 1))
        for i in reversed(range(len(steps))):
            body = "cel.bind(v%d, %s, %s)" % (i, steps[i], body)
        return body

    def expression(self):
        roll = self.rng.random()
        if roll < .5:
            return self.typed("bool" if self.rng.random() < .8 else self.pick(*LITERALS), self.rng.randint(1, 5))
        if roll < .75:
            return self.wild(self.rng.randint(1, 4))
        return self.broken(self.typed("bool", self.rng.randint(1, 4)), self.typed("bool", 3))


def make(rng, number):
    text = Grower(rng).large() if rng.random() < LARGE_SHARE else None
    while text is None or len(text) > LONGEST or (not text.startswith("cel.bind(v0") and DEAR.search(text)):
        text = Grower(rng).expression()
    return {"id": number, "expr": text, "env": rng.choice(["stored", "new"]), "version": "1.37",
            "gates": {"DRAConsumableCapacity": rng.random() < .8, "DRAListTypeAttributes": rng.random() < .7},
            "device": rng.choice(DEVICES)}


def compile_text(error):
    """Of syntax errors the place of the first; how a parser recovers behind it isn't asked."""
    syntax = re.search(r"ERROR: \S+ Syntax error", error or "")
    return syntax.group(0) if syntax else error


def run_text(error):
    """Without Go's names of types and what the machine's time zones are (docs/decisions/0002)."""
    error = re.sub(r"(invalid qualifier type:) .*", r"\1", error or "")
    return "is a directory" if error.startswith("unknown time zone") else error


def differs(line, want, got):
    if "error" in want and "type" not in want:
        return None
    if (got.get("evalError") or "").startswith(LIMITS):
        return None if want.get("maxCost") == got.get("maxCost") else ["maxCost"]
    out = ["compileError"] if compile_text(want.get("compileError")) != compile_text(got.get("compileError")) else []
    if run_text(want.get("evalError")) != run_text(got.get("evalError")):
        out.append("evalError")
    # By how much the limit is passed depends on where it is seen first.
    same = ("type", "maxCost", "result") if want.get("evalError") == OVER else ("type", "maxCost", "result", "cost")
    return out + [k for k in same if want.get(k) != got.get(k)]


def main():
    args = both.arguments(20000)
    both.compare(args, "cel", ["cel"], make, differs)


if __name__ == "__main__":
    sys.exit(main())
