#!/usr/bin/env python3
"""Bad input: one clear line that names file and place, exit status 1, bounded memory, and the good documents
beside it are used. Usage: bad_input.py DRAY. Prints TAP."""
import os
import resource
import subprocess
import sys
import tempfile

DRAY = os.path.realpath(sys.argv[1])
GOOD = "apiVersion: v1\nkind: Node\nmetadata: {name: n1}\nstatus: {allocatable: {cpu: '4', memory: 8Gi, pods: '10'}}\n"
POD = "apiVersion: v1\nkind: Pod\nmetadata: {name: good}\nspec: {containers: [{name: c, image: i}]}\n"
SLICE = ("apiVersion: resource.k8s.io/v1\nkind: ResourceSlice\nmetadata: {name: x}\nspec:\n  driver: d.example.com\n"
         "  nodeName: n1\n  pool: {name: p, generation: 1, resourceSliceCount: 1}\n  devices:\n  - name: dev\n"
         "    capacity: {m: {value: %s}}\n")
CONFIG = '{"apiVersion":"v1","kind":"ConfigMap","metadata":{"name":"x"},"data":{%s}}'
ALIASES = "a: &a [x,x,x,x,x,x,x,x,x]\n" + "".join(
    "%c: &%c [%s]\n" % (98 + i, 98 + i, ",".join(["*%c" % (97 + i)] * 9)) for i in range(10))
NINES = "9" * 10000
MEMORY_MB = 1500  # of the largest case; a hundred times the others

# label, file name, content, what the line must hold besides the file's name
CASES = [
    ("YAML cut off inside a quoted text", "cut.yaml", 'apiVersion: v1\nkind: Pod\nmetadata:\n  name: "abc', "cut.yaml:4:"),
    ("an alias bomb", "alias.yaml", ALIASES, "alias.yaml:"),
    ("JSON nested 100,000 deep", "deep.json", '{"apiVersion":"v1","kind":"Pod","a":%s%s}' % ("[" * 100000, "]" * 100000), "depth"),
    ("YAML nested 100,000 deep", "deep.yaml", "a: " + "[" * 100000 + "]" * 100000 + "\n", "depth"),
    ("ten million keys", "keys.json", None, "members"),
    ("two million keys of YAML", "keys.yaml", "apiVersion: v1\nkind: ConfigMap\ndata:\n" + "".join("  k%d: v\n" % i for i in range(2000000)), "members"),
    ("a NUL byte in YAML", "nul.yaml", b"apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\0b\n", "nul.yaml:4:"),
    ("a NUL byte in JSON", "nul.json", b'{"apiVersion":"v1","kind":"Pod\0"}', "nul.json:1:"),
    ("invalid UTF-8 in YAML", "utf8.yaml", b"apiVersion: v1\nkind: Pod\nmetadata:\n  name: a\xff\xfeb\n", "utf8.yaml:4:"),
    ("invalid UTF-8 in JSON", "utf8.json", b'{"apiVersion":"v1","kind":"Pod","metadata":{"name":"\xff"}}', "utf8.json:1:"),
    ("a number of 10,000 digits where an int stands", "digits.json",
     '{"apiVersion":"v1","kind":"Pod","metadata":{"name":"x","generation":%s},"spec":{"containers":[]}}' % NINES, "digits.json:1:"),
    ("a number of 10,000 digits where a string stands", "digits.yaml", POD.replace("name: good", "name: " + NINES), "digits.yaml:"),
    ("a document that is a list", "list.json", "[1,2]", "list.json:1:1"),
    ("a document that is a word", "word.yaml", "hello\n", "word.yaml:1:1"),
    ("trailing bytes behind JSON", "tail.json", '{"apiVersion":"v1"} x', "tail.json:1:"),
    ("an unpaired bracket", "bracket.yaml", "spec: {a: [1, 2\n", "bracket.yaml:"),
    ("a tab as indentation", "tab.yaml", "spec:\n\ta: 1\n", "tab.yaml:2:"),
]

number = failed = 0


def check(label, ok, detail=""):
    global number, failed
    number += 1
    failed += not ok
    print("%sok %d - %s" % ("" if ok else "not ", number, label))
    if not ok:
        print("".join("# %s\n" % line for line in detail[:2000].splitlines()), end="")


def run(*files, stdin=None):
    args = [DRAY, "plan"]
    for f in files:
        args += ["-f", f]
    done = subprocess.run(args, input=stdin, capture_output=True, timeout=120)
    return done.returncode, done.stdout.decode("utf-8", "replace"), done.stderr.decode("utf-8", "replace")


def judge(label, name, path, place, good):
    status, out, err = run(good, path)
    lines = [l for l in err.splitlines() if name in l]
    ok = (status == 1 and len(lines) == 1 and place in lines[0] and len(lines[0]) < 4000
          and "default/good" in out and "n1" in out and "left out" in err)
    check(label + " is told in one line, the rest is used", ok, "exit %d\n%s\n%s" % (status, err, out))


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        with open("good.yaml", "w", encoding="utf-8") as f:
            f.write(GOOD + "---\n" + POD)
        for label, name, content, place in CASES:
            with open(name, "wb") as f:
                if content is None:
                    f.write((CONFIG % ",".join('"k%d":""' % i for i in range(10000000))).encode())
                else:
                    f.write(content if isinstance(content, bytes) else content.encode())
            judge(label, name, name, place, "good.yaml")
            os.unlink(name)
        with open("two.yaml", "w", encoding="utf-8") as f:
            f.write(GOOD + "---\na: [\n---\n" + POD)
        status, out, err = run("two.yaml")
        check("a broken document between good ones loses only itself",
              status == 1 and "two.yaml:" in err and "default/good" in out and "left out" in err, err + out)
        status, out, err = run("good.yaml", "missing.yaml")
        check("a missing file is named", status == 1 and "missing.yaml" in err and "default/good" in out, err + out)
        os.mkdir("empty")
        status, out, err = run("good.yaml", "empty")
        check("a directory without manifests is named", status == 1 and "empty: " in err and "default/good" in out, err + out)
        os.mkfifo("pipe")
        status, out, err = run("good.yaml", "pipe")
        check("a pipe that nobody writes to is named, and nothing hangs", status == 1 and "pipe: " in err, err + out)
        status, out, err = run("-", stdin=(GOOD + "---\n" + POD).encode())
        check("standard input is read", status == 0 and "default/good" in out, err + out)
        status, out, err = run("good.yaml", "/dev/zero")
        check("a device is no file", status == 1 and "/dev/zero" in err, err + out)
        with open("big.yaml", "wb") as f:
            f.truncate((1 << 30) + 1)
        status, out, err = run("good.yaml", "big.yaml")
        check("a file over 1 GiB is refused unread", status == 1 and "1 GiB" in err and "default/good" in out, err + out)
        with open("digits.yaml", "w", encoding="utf-8") as f:
            f.write(GOOD + "---\n" + SLICE % NINES)
        status, out, err = run("digits.yaml")
        check("a capacity of 10,000 digits is exact", status == 0, err + out)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024
    if "asan" not in DRAY:
        check("memory stays bounded", used < MEMORY_MB, "%d MB" % used)
    print("1..%d" % number)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
