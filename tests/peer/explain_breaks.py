"""What can be wrong: each function breaks one thing of a Scene in which the Pod fits, or declines with None.

The answer is what is right to say of it: `cause`, and `subject` (or `subjects`, any of them). `least` is the member
whose largest value that fits is then sought.
"""
import copy
import re

from explain_world import ADMIN, API, GPU, HOST, NIC, QAT, meta

BREAKS = {}


def breaks(*causes):
    def add(function):
        BREAKS[function.__name__] = function
        function.causes = causes
        return function
    return add


def want(cause, *subjects, **more):
    return dict({"cause": cause, "subjects": list(subjects)}, **more)


def exacts(s):
    """(claim, request with its name as it is said, what it asks for) of all requests that can be served."""
    found = []
    for c in s.claims:
        for r in c["spec"]["devices"]["requests"]:
            if "exactly" in r:
                found.append((c, r, r["exactly"]))
            for o in r.get("firstAvailable", []):
                if o["name"] == "now":
                    found.append((c, {"name": "%s/now" % r["name"]}, o))
    return [f for f in found if f[0]["entry"] != "fpga"]


def a_request(s):
    return s.pick(*exacts(s))


def driver_of(s, e):
    return next(d for d in (NIC, QAT, "tpu.google.com", "fpga.example.com", GPU) if d in str(s.classes[e["deviceClassName"]]))


def own_nodes(s):
    return [s.node_named(n) for n in s.good]


# --- the Pod as a whole ---

@breaks("other-scheduler")
def other_scheduler(s):
    name = s.pod["spec"]["schedulerName"] = s.pick("gpu-scheduler", "volcano", "Default-scheduler", "default-schedular")
    return want("other-scheduler", name)


@breaks("bypassed-scheduler")
def node_name(s):
    for c in s.claims:
        if c["form"] == "template":
            c["form"] = "generated"
    name = s.pod["spec"]["nodeName"] = s.pick(*s.good)
    return want("bypassed-scheduler", name)


@breaks("gated")
def gated(s):
    gates = s.rng.sample(["kueue.x-k8s.io/admission", "example.com/wait", "a/b"], s.pick(1, 1, 2))
    s.pod["spec"]["schedulingGates"] = [{"name": g} for g in gates]
    return want("gated", gates[0])


# --- claims ---

def typo(s, name):
    i = s.rng.randrange(1, len(name) - 1)
    return s.pick(name[:i] + name[i + 1:], name[:i] + name[i] + name[i:], name + "s", name.replace("-", "_") if "_" in name else name[:-1])


def mislay(s, c, name):
    """What the claim refers to is gone, called otherwise, or in another namespace."""
    how = s.pick("gone", "typo", "elsewhere")
    if how == "gone":
        c["gone"] = True
    elif how == "typo":
        c["asked"] = typo(s, name)
    else:
        c["ns"] = "other"


@breaks("template-missing")
def template_missing(s):
    c = s.pick(*s.claims)
    c["form"] = "template"
    mislay(s, c, c["template"])
    return want("template-missing", "%s/%s" % (s.ns, c.get("asked", c["template"])))


@breaks("claim-missing")
def claim_missing(s):
    c = s.pick(*s.claims)
    if c["form"] != "named" and s.chance(.4):
        c["form"], c["lost"] = "generated", True
        return want("claim-missing", "%s/%s" % (s.ns, c["made"]))
    c["form"] = "named"
    mislay(s, c, c["name"])
    return want("claim-missing", "%s/%s" % (s.ns, c.get("asked", c["name"])))


def allocated(s, c, node, users):
    """Gives the named claim devices of the node."""
    results = []
    free = {}
    for r in c["spec"]["devices"]["requests"]:
        e = r.get("exactly") or {"capacity": "a choice"}
        if e.get("capacity") or e.get("adminAccess"):
            return False
        d = driver_of(s, e)
        mine = free.setdefault(d, s.devices(d, node))
        if s.kind == "mig":
            mine = [x for x in mine if s.profile.replace(".", "-") in x[2]]
        for _ in range(e.get("count", 1)):
            if not mine:
                return False
            x = mine.pop(0)
            results.append({"request": r["name"], "driver": x[0], "pool": x[1], "device": x[2]})
    c["status"] = {"allocation": {"devices": {"results": results}, "nodeSelector": s.at(node)}}
    if users:
        c["status"]["reservedFor"] = [{"resource": "pods", "name": u, "uid": "pod-%s-%s" % (s.ns, u)} for u in users]
        for u in users[:4]:
            s.run_pod(u, s.ns, node, resourceClaims=[{"name": "x", "resourceClaimName": c["name"]}])
    return True


@breaks("claim-deleting")
def claim_deleting(s):
    c = s.pick(*s.claims)
    when = {"deletionTimestamp": "2026-01-01T00:00:00Z", "finalizers": ["resource.kubernetes.io/delete-protection"]}
    if c["form"] == "named" or s.chance(.5):
        c["form"] = "named"
        if s.chance(.6):
            allocated(s, c, s.pick(*s.good), s.pick([], ["user"]))
        name = c["name"]
    else:
        c["form"], name = "generated", c["made"]
    c["meta"] = when
    return want("claim-deleting", "%s/%s" % (s.ns, name))


@breaks("claim-owned-by-other")
def claim_owned(s):
    c = s.pick(*s.claims)
    c["form"], c["owner"] = "generated", "the-former-pod"
    return want("claim-owned-by-other", "%s/%s" % (s.ns, c["made"]))


@breaks("claim-full")
def claim_full(s):
    c = s.pick(*s.claims)
    c["form"] = "named"
    node = s.pick(*s.good)
    if not allocated(s, c, node, ["user-%d" % i for i in range(256)]):
        return None
    return want("claim-full", "%s/%s" % (s.ns, c["name"]))


@breaks("claim-on-other-node")
def claim_elsewhere(s):
    c = s.pick(*s.claims)
    c["form"] = "named"
    users = s.pick([], ["user"], ["u1", "u2"])
    how = s.pick("pinned", "affinity", "two", "gone")
    if how == "gone":
        if not allocated(s, c, s.pick(*s.good), []):
            return None
        c["status"]["allocation"]["nodeSelector"] = s.at("old-node")
        return want("claim-on-other-node", "%s/%s" % (s.ns, c["name"]))
    if how == "two" and len(s.good) > 1 and len(s.claims) > 1:
        a, b = s.rng.sample(s.good, 2)
        for claim, node, u in zip(s.claims, (a, b), (users, [])):
            claim["form"] = "named"
            if not allocated(s, claim, node, u):
                return None
        return want("claim-on-other-node", *["%s/%s" % (s.ns, x["name"]) for x in s.claims])
    node = s.pick(*s.good)
    others = [n for n in s.good if n != node]
    if not others or not allocated(s, c, node, users):
        return None
    pin(s, s.pick(*others), how == "affinity")
    return want("claim-on-other-node", "%s/%s" % (s.ns, c["name"]))


def pin(s, node, by_affinity):
    if by_affinity:
        s.pod["spec"]["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
            "nodeSelectorTerms": [{"matchExpressions": [{"key": HOST, "operator": "In", "values": [node]}]}]}}}
    else:
        s.pod["spec"]["nodeSelector"] = {HOST: node}


@breaks("quota")
def quota(s):
    c = s.pick(*[c for c in s.claims if "status" not in c])
    for other in s.claims:
        if other is not c:
            other["form"] = "named"
    c["form"] = "template"
    requests = c["spec"]["devices"]["requests"]
    hard, name = {}, s.pick("dra", "team-quota")
    if s.chance(.5):
        there = len([o for o in s.others if o["kind"] == "ResourceClaim" and o["metadata"]["namespace"] == s.ns])
        there += len(s.claims) - 1
        hard["count/resourceclaims.resource.k8s.io"] = str(there)
    else:
        e = s.pick(*requests)["exactly"]
        total = sum(r["exactly"].get("count", 1) for r in requests if r["exactly"]["deviceClassName"] == e["deviceClassName"])
        hard[e["deviceClassName"] + ".deviceclass.resource.k8s.io/devices"] = str(s.rng.randint(0, total - 1))
    if s.chance(.3):
        hard["pods"] = "100"
    s.others.append({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": meta(name, s.ns), "spec": {"hard": hard}})
    s.others.append({"apiVersion": "v1", "kind": "ResourceQuota", "metadata": meta("wide", s.ns), "spec": {"hard": {
        "count/resourceclaims.resource.k8s.io": "1000"}}})
    return want("quota", "%s/%s" % (s.ns, name), least="count")


@breaks("admin-access-namespace")
def admin_access(s):
    c, r, e = a_request(s)
    if e.get("capacity"):
        return None
    c["form"] = "template"
    e["adminAccess"] = True
    s.namespaces[s.ns] = s.pick({}, {"resource.k8s.io/admin-access": "true"}, {ADMIN: "false"}, {ADMIN: "True"})
    return want("admin-access-namespace", s.ns)


@breaks("class-missing")
def class_missing(s):
    c, r, e = a_request(s)
    name = e["deviceClassName"]
    how = s.pick("typo", "gone", "typo", "option")
    if how == "option" and not {"capacity", "adminAccess"} & set(e) and "exactly" in r:
        option = {k: v for k, v in e.items() if k != "adminAccess"}
        other = dict(copy.deepcopy(option), name="second", deviceClassName=s.pick("h200", typo(s, name)))
        r["firstAvailable"] = s.pick([dict(option, name="first"), other], [other, dict(option, name="first")])
        del r["exactly"]
        return want("class-missing", other["deviceClassName"])
    if how == "gone":
        del s.classes[name]
        for _, _, x in exacts(s):
            if x["deviceClassName"] == name:
                return want("class-missing", name)
    asked = e["deviceClassName"] = s.pick(typo(s, name), name.replace(".", "-"), name.split(".")[0] + "x") if "." in name else typo(s, name)
    if asked in s.classes:
        return None
    return want("class-missing", asked)


@breaks("extended-resource-unknown")
def extended_unknown(s):
    if not s.recent or s.kind not in ("gpu", "nic", "tpu"):
        return None
    e = s.exact()
    n = e.get("count", 1)
    s.claims = []
    name = s.pick("nvidia.com/gpu", "example.com/gpu")
    klass = e["deviceClassName"]
    how = s.pick("unmapped", "typo", "implicit")
    asked = name
    if how == "typo":
        s.classes[klass]["spec"]["extendedResourceName"] = name
        asked = s.pick(name + "s", name[:-1], name.replace("gpu", "GPU"))
    elif how == "implicit":
        asked = "deviceclass.resource.kubernetes.io/" + klass + s.pick("s", "x")
    r = s.pod["spec"]["containers"][0]["resources"]
    r["requests"][asked] = str(n)
    r.setdefault("limits", {})[asked] = str(n)
    return want("extended-resource-unknown", asked)


@breaks("gate-off")
def gate_off(s):
    def off(gate):
        s.gates[gate] = False
        return want("gate-off", gate)
    if s.kind == "mig":
        return off("DRAPartitionableDevices")
    if s.kind == "shared":
        return off("DRAConsumableCapacity")
    how = s.pick("list", "binding", "extended", "lists")
    if how == "list" and s.version in ("1.34", "1.35", "1.36"):
        c, r, e = a_request(s)
        r["firstAvailable"] = [dict(e, name="one")]
        del r["exactly"]
        if s.version == "1.36":
            return None
        return off("DRAPrioritizedList")
    if how == "binding" and s.recent:
        c, r, e = a_request(s)
        for d in s.of_driver(driver_of(s, e)):
            d["bindingConditions"], d["bindingFailureConditions"] = ["b.c/ready"], ["b.c/failed"]
        return off("DRADeviceBindingConditions")
    if how == "extended" and s.version == "1.36" and s.kind in ("gpu", "nic", "tpu"):
        e = s.exact()
        s.claims = []
        s.classes[e["deviceClassName"]]["spec"]["extendedResourceName"] = "example.com/dev"
        r = s.pod["spec"]["containers"][0]["resources"]
        r["requests"]["example.com/dev"] = str(e.get("count", 1))
        r.setdefault("limits", {})["example.com/dev"] = str(e.get("count", 1))
        return off("DRAExtendedResource")
    return None


# --- selectors ---

def look_up(s, domain, name, capacity=False):
    q = s.pick("'", '"')
    text = "device.%s[%s%s%s]" % ("capacity" if capacity else "attributes", q, domain, q)
    return text + s.pick("." + name, "." + name, "[%s%s%s]" % (q, name, q))


def right_conditions(s, e):
    """Conditions that are true on all devices of the request: (name, capacity, text after the lookup)."""
    d = driver_of(s, e)
    if d == QAT:
        return d, [("services", False, " == 'sym'")]
    if s.kind == "mig":
        return d, [("type", False, " == 'mig'"), ("productName", False, ".startsWith('NVIDIA')"), ("parentUUID", False, " != ''")]
    if d == GPU:
        name, arch, cc, memory = s.product
        return d, [("productName", False, " == '%s'" % name), ("architecture", False, " == '%s'" % arch),
                   ("brand", False, ".lowerAscii() == 'nvidia'"), ("index", False, " < 16"),
                   ("driverVersion", False, ".compareTo(semver('535.0.0')) >= 0"),
                   ("cudaComputeCapability", False, ".isGreaterThan(semver('7.0.0'))"),
                   ("memory", True, ".compareTo(quantity('10Gi')) >= 0"), ("memory", True, ".isGreaterThan(quantity('8Gi'))")]
    if d == NIC:
        return d, [("mtu", False, " >= 1500"), ("rdma", False, " == true"), ("ifName", False, ".startsWith('eth')"),
                   ("linkSpeed", False, " > 10000"), ("firmware", False, " != ''"), ("numaNode", False, " in [0, 1]")]
    return d, [("generation", False, " == 'v5e'"), ("cores", False, " >= 2"), ("hbm", True, ".compareTo(quantity('8Gi')) >= 0"),
               ("ici", False, " == true")]


def put_condition(s, e, text):
    """Adds a condition to the request, or its class, somewhere."""
    expressions = e.setdefault("selectors", [])
    if s.chance(.25):
        expressions = s.classes[e["deviceClassName"]]["spec"]["selectors"]
        guard = "device.driver == '%s' && " % driver_of(s, e)
        expressions.insert(len(expressions), {"cel": {"expression": guard + text}})
        return "class/%s#%d" % (e["deviceClassName"], len(expressions) - 1)
    if expressions and s.chance(.5):
        at = s.rng.randrange(len(expressions))
        old = expressions[at]["cel"]["expression"]
        old = "(%s)" % old if "||" in old else old
        text = "(%s)" % text if "||" in text else text
        expressions[at]["cel"]["expression"] = s.pick(old + " && " + text, text + " && " + old)
    else:
        at = s.rng.randint(0, len(expressions))
        expressions.insert(at, {"cel": {"expression": text}})
    return at


def at_request(where, r):
    return where if isinstance(where, str) else "request/%s#%d" % (r["name"], where)


def misspell(s, name):
    i = s.rng.randrange(1, len(name))
    return s.pick(name.lower(), name[0].upper() + name[1:], re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower(), name[:i] + name[i + 1:],
                  name[:i] + "x" + name[i:], name.upper())


def having(s, domain, capacity):
    """Names that devices have, as (domain, id)."""
    return {(k.split("/")[0], k.split("/")[1]) if "/" in k else (sl["spec"]["driver"], k)
            for sl in s.slices for d in sl["spec"].get("devices", []) for k in d.get("capacity" if capacity else "attributes", {})}


@breaks("attribute-misspelt")
def misspelt(s):
    c, r, e = a_request(s)
    domain, all_ = right_conditions(s, e)
    name, capacity, rest = s.pick(*all_)
    written = misspell(s, name)
    if (domain, written) in having(s, domain, capacity) or len(name) < 4:
        return None
    text = look_up(s, domain, written, capacity) + rest
    how = s.pick("plain", "plain", "has", "or")
    if how == "has" and "[" not in text.split("]")[1]:
        text = "has(device.%s['%s'].%s) && " % ("capacity" if capacity else "attributes", domain, written) + text
    put_condition(s, e, text)
    return want("attribute-misspelt", "%s/%s" % (domain, written))


@breaks("attribute-other-domain")
def other_domain(s):
    c, r, e = a_request(s)
    domain, all_ = right_conditions(s, e)
    name, capacity, rest = s.pick(*all_)
    if domain == GPU and s.kind != "mig" and s.chance(.3):
        domain_written, name, capacity, rest = GPU, "pcieRoot", False, ".startsWith('pci')"
    else:
        domain_written = s.pick("resource.kubernetes.io", domain.split(".", 1)[1] if domain.count(".") > 1 else "k8s." + domain)
    if (domain_written, name) in having(s, domain, capacity):
        return None
    put_condition(s, e, look_up(s, domain_written, name, capacity) + rest)
    return want("attribute-other-domain", "%s/%s" % (domain_written, name))


@breaks("capacity-not-attribute", "attribute-not-capacity")
def wrong_map(s):
    c, r, e = a_request(s)
    domain, all_ = right_conditions(s, e)
    if any(x[1] for x in all_) and s.chance(.5):
        name = next(x[0] for x in all_ if x[1])
        rest = s.pick(" >= 8", ".compareTo(quantity('8Gi')) >= 0", " == '%s'" % (s.product[3] if s.kind != "tpu" and hasattr(s, "product") else "16Gi"))
        put_condition(s, e, look_up(s, domain, name) + rest)
        return want("capacity-not-attribute", "%s/%s" % (domain, name))
    ints = [x[0] for x in all_ if not x[1] and x[0] in ("index", "mtu", "linkSpeed", "cores", "numaNode")]
    if not ints:
        return None
    name = s.pick(*ints)
    rest = s.pick(".compareTo(quantity('0')) >= 0", ".asInteger() >= 0")
    put_condition(s, e, look_up(s, domain, name, True) + rest)
    return want("attribute-not-capacity", "%s/%s" % (domain, name))


@breaks("attribute-absent")
def absent(s):
    c, r, e = a_request(s)
    domain, _ = right_conditions(s, e)
    name = s.pick("nvlinkInterconnect", "powerCap", "zzTopology", "migEnabled")
    rest = s.pick(" == 'x'", " == true", " >= 4", ".startsWith('a')", " in ['a', 'b']")
    text = look_up(s, domain, name) + rest
    if s.chance(.2):
        text = "has(device.attributes['%s'].%s) && " % (domain, name) + text
    put_condition(s, e, text)
    return want("attribute-absent", "%s/%s" % (domain, name))


@breaks("attribute-partial")
def partial(s):
    c, r, e = a_request(s)
    domain, all_ = right_conditions(s, e)
    all_ = [x for x in all_ if not x[1] and x[0] not in str(e)]
    devices = [d for d in s.of_driver(domain) if "attributes" in d]
    if len(devices) < 2 or not all_ or s.version < "1.34":
        return None
    name, _, rest = s.pick(*all_)
    if name in str(s.classes[e["deviceClassName"]]):
        return None
    some = s.rng.sample(devices, s.rng.randint(1, len(devices) - 1))
    for d in some:
        del d["attributes"][name]
    text = look_up(s, domain, name) + rest
    put_condition(s, e, text)
    return want("attribute-partial", "%s/%s" % (domain, name))


@breaks("attribute-other-type")
def other_type(s):
    c, r, e = a_request(s)
    domain, all_ = right_conditions(s, e)
    rows = {"index": [" == '0'", " >= '0'", " == 'zero'"], "mtu": [" == '9000'", " >= '1500'"], "rdma": [" == 'true'", " == 1"],
            "driverVersion": [" == '570.86.15'", " >= '535.0.0'", " > '535'"], "cudaComputeCapability": [" >= '7.0'", " == '8.0.0'"],
            "architecture": [" == true", " == 8"], "productName": [".compareTo(semver('1.0.0')) > 0", " > 4"], "cores": [" == '2'"],
            "ici": [" == 'true'"], "generation": [" == 5"], "type": [" == 1"]}
    known = [x[0] for x in all_ if x[0] in rows]
    if not known:
        return None
    name = s.pick(*known)
    put_condition(s, e, look_up(s, domain, name) + s.pick(*rows[name]))
    return want("attribute-other-type", "%s/%s" % (domain, name))


@breaks("version-compared-as-string")
def version_string(s):
    c, r, e = a_request(s)
    domain = driver_of(s, e)
    name, value, other = s.pick(("fwVersion", "22.41.1000", "22.9.0"), ("release", "10.2.0", "9.0.0"), ("sdk", "v1.12.0", "v1.9.3"),
                                ("vbios", "12.8", "9.4"))
    for d in s.of_driver(domain):
        d.setdefault("attributes", {})[name] = {"string": value}
    put_condition(s, e, s.pick(look_up(s, domain, name) + " %s '%s'" % (s.pick(">=", ">"), other),
                               "'%s' %s " % (other, s.pick("<=", "<")) + look_up(s, domain, name)))
    return want("version-compared-as-string", "%s/%s" % (domain, name))


@breaks("quantity-compared-wrongly")
def quantity_unit(s):
    c, r, e = a_request(s)
    domain, all_ = right_conditions(s, e)
    name = next((x[0] for x in all_ if x[1]), None)
    if name is None:
        return None
    have = 16 if s.kind == "tpu" else int(s.product[3][:-2])
    rest = s.pick(".asInteger() == %d" % have, ".compareTo(quantity('%dG')) == 0" % have, " == quantity('%dG')" % have,
                  ".asInteger() <= %d" % have, ".isLessThan(quantity('%d'))" % (have + 1), ".compareTo(quantity('%d')) <= 0" % have)
    put_condition(s, e, look_up(s, domain, name, True) + rest)
    return want("quantity-compared-wrongly", "%s/%s" % (domain, name))


@breaks("selector-error")
def selector_error(s):
    c, r, e = a_request(s)
    domain, all_ = right_conditions(s, e)
    strings = {"productName", "architecture", "brand", "ifName", "generation", "type"}
    name = s.pick(*[x[0] for x in all_ if x[0] in strings])
    v = look_up(s, domain, name)
    text = s.pick("int(%s) >= 80" % v, "%s.split(' ')[9] == 'x'" % v, "quantity(%s).isGreaterThan(quantity('1Gi'))" % v,
                  "semver(%s).isGreaterThan(semver('1.0.0'))" % v, "1 / (size(%s) - size(%s)) == 1" % (v, v), "%s.substring(90) == 'x'" % v,
                  "int('80GB') <= 80")
    where = put_condition(s, e, text)
    return want("selector-error", at_request(where, r))


@breaks("selector-false")
def selector_false(s):
    c, r, e = a_request(s)
    domain, all_ = right_conditions(s, e)
    rows = {"productName": [" == 'NVIDIA B200'", ".contains('B200')", ".startsWith('AMD')"], "architecture": [" == 'Blackwell'", " in ['Blackwell', 'Rubin']"],
            "index": [" == 99", " >= 64"], "memory": [".compareTo(quantity('141Gi')) >= 0", ".isGreaterThan(quantity('1Ti'))"],
            "driverVersion": [".compareTo(semver('999.0.0')) >= 0", ".isGreaterThan(semver('999.0.0'))"],
            "mtu": [" > 9000", " == 4200"], "rdma": [" == false"], "ifName": [" == 'ib0'"], "type": [" == 'vgpu'"], "cores": [" > 2"],
            "generation": [" == 'v6e'", ".startsWith('v6')"], "hbm": [".compareTo(quantity('95Gi')) >= 0"], "ici": [" == false"],
            "linkSpeed": [" >= 400000"]}
    name, capacity = s.pick(*[(x[0], x[1]) for x in all_ if x[0] in rows])
    where = put_condition(s, e, look_up(s, domain, name, capacity) + s.pick(*rows[name]))
    return want("selector-false", at_request(where, r))


# --- slices and pools ---

@breaks("no-slices-for-driver")
def no_slices(s):
    c, r, e = a_request(s)
    driver = driver_of(s, e)
    if s.chance(.5):
        s.slices = [x for x in s.slices if x["spec"]["driver"] != driver]
        return want("no-slices-for-driver", driver)
    wrong = s.pick(driver + "m", driver.replace(".", "-", 1), driver.replace("c", "k", 1), "k8s." + driver)
    name = e["deviceClassName"]
    for x in s.classes[name]["spec"]["selectors"]:
        x["cel"]["expression"] = x["cel"]["expression"].replace("== '%s'" % driver, "== '%s'" % wrong).replace('== "%s"' % driver, '== "%s"' % wrong)
    if wrong not in str(s.classes[name]):
        return None
    return want("no-slices-for-driver", wrong)


def slices_of(s, e):
    return [x for x in s.slices if x["spec"]["driver"] == driver_of(s, e)]


@breaks("devices-reach-no-node")
def no_node(s):
    c, r, e = a_request(s)
    mine = slices_of(s, e)
    how = s.pick("node", "label", "device")
    if how == "device" and not s.recent:
        how = "label"
    old = s.pick("gpu-old", "gone")
    for i, x in enumerate(mine):
        node = x["spec"].pop("nodeName")
        if how == "node":
            x["spec"]["nodeName"] = node + "-" + old
        elif how == "label" or s.kind == "mig":
            x["spec"]["nodeSelector"] = {"nodeSelectorTerms": [{"matchExpressions": [
                {"key": "example.com/fabric", "operator": "In", "values": ["f1"]}]}]}
        else:
            x["spec"]["perDeviceNodeSelection"] = True
            for d in x["spec"].get("devices", []):
                d["nodeName"] = old
    return want("devices-reach-no-node", *[x["metadata"]["name"] for x in mine if x["spec"].get("devices")])


@breaks("pool-incomplete")
def pool_incomplete(s):
    c, r, e = a_request(s)
    mine = slices_of(s, e)
    how = s.pick("count", "generation")
    for x in mine:
        if how == "count":
            x["spec"]["pool"]["resourceSliceCount"] += s.pick(1, 2) if len({y["spec"]["pool"]["name"] for y in mine}) == len(mine) else 1
    if how == "generation":
        for pool in sorted({x["spec"]["pool"]["name"] for x in mine}):
            first = next(x for x in mine if x["spec"]["pool"]["name"] == pool)
            new = copy.deepcopy(first)
            new["metadata"]["name"] += "-new"
            new["spec"]["pool"].update(generation=2, resourceSliceCount=2)
            if "sharedCounters" in new["spec"] or len([x for x in mine if x["spec"]["pool"]["name"] == pool]) > 1:
                return None
            s.slices.append(new)
    return want("pool-incomplete", *["%s/%s" % (x["spec"]["driver"], x["spec"]["pool"]["name"]) for x in mine])


@breaks("pool-invalid")
def pool_invalid(s):
    c, r, e = a_request(s)
    mine = [x for x in slices_of(s, e) if x["spec"].get("devices")]
    done = set()
    for x in mine:
        pool = x["spec"]["pool"]["name"]
        if pool in done:
            continue
        done.add(pool)
        double = copy.deepcopy(x)
        double["metadata"]["name"] += "-again"
        double["spec"]["devices"] = double["spec"]["devices"][:s.pick(1, 2)]
        s.slices.append(double)
        for y in s.slices:
            if y["spec"]["driver"] == x["spec"]["driver"] and y["spec"]["pool"]["name"] == pool:
                y["spec"]["pool"]["resourceSliceCount"] = x["spec"]["pool"]["resourceSliceCount"] + (0 if y is x or y is double else 0)
        n = len([y for y in s.slices if y["spec"]["driver"] == x["spec"]["driver"] and y["spec"]["pool"]["name"] == pool])
        for y in s.slices:
            if y["spec"]["driver"] == x["spec"]["driver"] and y["spec"]["pool"]["name"] == pool:
                y["spec"]["pool"] = dict(y["spec"]["pool"], resourceSliceCount=n)
    return want("pool-invalid", *["%s/%s" % (x["spec"]["driver"], x["spec"]["pool"]["name"]) for x in mine])


# --- devices ---

def take(s, devices, per, leaked=False):
    """Pods that hold the devices, `per` each at most; their keys."""
    holders = []
    by_pool = {}
    for d in devices:
        by_pool.setdefault(d[1], []).append(d)
    for pool, mine in sorted(by_pool.items()):
        while mine:
            n = s.rng.randint(1, per)
            part, mine = mine[:n], mine[n:]
            name = "%s-%d" % (s.pick("trainer", "notebook", "infer"), s.number())
            ns = s.pick(s.ns, "ml", "other")
            s.hold(name, pool, part, ns=ns, leaked=leaked, klass=s.pick(*s.classes))
            holders.append("%s/%s" % (ns, name if not leaked else name + "-dev-x7k2p"))
    return holders


@breaks("in-use", "in-use-leaked")
def in_use(s):
    if s.kind in ("mig", "shared"):
        return None
    c, r, e = a_request(s)
    need, holders = e.get("count", 1), []
    if min(len(s.devices(driver_of(s, e), n)) for n in s.good) < need:
        return None
    leaked = s.chance(.3)
    for n in s.good:
        mine = s.devices(driver_of(s, e), n)
        if len(mine) < need:
            continue
        keep = s.rng.randint(0, need - 1)
        s.rng.shuffle(mine)
        holders += take(s, mine[keep:], s.pick(1, 1, 2, 4), leaked)
    return want("in-use-leaked" if leaked else "in-use", *holders, least="count", nearest=not leaked)


@breaks("device-taint")
def device_taint(s):
    c, r, e = a_request(s)
    driver, key = driver_of(s, e), s.pick("example.com/unhealthy", "gpu.nvidia.com/xid", "maintenance")
    effect = s.pick("NoSchedule", "NoExecute")
    taint = s.pick({"key": key, "effect": effect}, {"key": key, "value": "74", "effect": effect})
    if not s.recent:
        return None
    if s.chance(.5):
        s.others.append({"apiVersion": s.pick("resource.k8s.io/v1", "resource.k8s.io/v1beta2") if s.version == "1.37" else "resource.k8s.io/v1beta2",
                         "kind": "DeviceTaintRule", "metadata": meta("keep-off"), "spec": {"deviceSelector": {"driver": driver}, "taint": taint}})
        if s.version == "1.36":
            s.gates["DRADeviceTaintRules"] = True
    else:
        for d in s.of_driver(driver):
            d["taints"] = [copy.deepcopy(taint)] + s.pick([], [{"key": "note", "effect": "None"}])
    if s.chance(.3):
        e["tolerations"] = s.pick([{"key": "other", "operator": "Exists"}], [{"key": key, "operator": "Equal", "value": "no", "effect": effect}])
    return want("device-taint", key, least="count")


@breaks("constraint-attribute-absent")
def constraint_absent(s):
    c = s.pick(*s.claims)
    requests = c["spec"]["devices"]["requests"]
    many = len(requests) > 1 or requests[0]["exactly"].get("count", 1) > 1
    if s.kind == "shared":
        return None
    domain = driver_of(s, requests[0]["exactly"])
    name = s.pick("%s/nvlinkDomain" % domain, "resource.kubernetes.io/pciRoot", "%s/switchId" % domain)
    how = "matchAttribute" if not s.recent or s.chance(.7) else "distinctAttribute"
    c["spec"]["devices"].setdefault("constraints", []).append({how: name})
    return want("constraint-attribute-absent", name) if many or True else None


@breaks("constraint-unsatisfied")
def constraint_no(s):
    if s.kind in ("mig", "shared", "tpu"):
        return None
    name = "resource.kubernetes.io/pcieRoot"
    c = s.claims[0]
    requests = c["spec"]["devices"]["requests"]
    if s.kind == "both":
        if len(s.claims) > 1:
            return None
        for i, d in enumerate(s.of_driver(NIC)):
            d["attributes"][name] = {"string": "pci0000:%d" % (80 + i)}
        c["spec"]["devices"]["constraints"] = [{"matchAttribute": name}]
        return want("constraint-unsatisfied", name)
    e = requests[0]["exactly"]
    if e.get("count", 1) < 2:
        return None
    if s.recent and s.chance(.4):
        domain = driver_of(s, e)
        attr = "numaNode" if domain == NIC else "brand"
        for d in s.of_driver(domain):
            if attr == "numaNode":
                d["attributes"][attr] = {"int": 0}
        c["spec"]["devices"]["constraints"] = [{"distinctAttribute": "%s/%s" % (domain, attr)}]
        return want("constraint-unsatisfied", "%s/%s" % (domain, attr), least="count")
    for x in slices_of(s, e):
        for i, d in enumerate(x["spec"].get("devices", [])):
            d["attributes"][name] = {"string": "pci-%s-%d" % (x["metadata"]["name"], i // (e["count"] - 1))}
    c["spec"]["devices"]["constraints"] = [dict({"matchAttribute": name}, **s.pick({}, {"requests": [requests[0]["name"]]}))]
    return want("constraint-unsatisfied", name, least="count")


@breaks("counters-exhausted")
def counters(s):
    if s.kind != "mig":
        return None
    subjects = ["gpu-%d-counters" % c for c in range(s.cards)]
    for card in range(s.cards):
        take_of = {"1g.10gb": ["7g-80gb-0"], "3g.40gb": s.pick(["7g-80gb-0"], ["4g-40gb-0", "1g-10gb-0"]),
                   "4g.40gb": s.pick(["3g-40gb-0", "3g-40gb-1"], ["3g-40gb-0", "1g-10gb-0"], ["7g-80gb-0"]),
                   "7g.80gb": s.pick(["1g-10gb-0"], ["3g-40gb-1"], ["1g-10gb-0", "4g-40gb-0"])}[s.profile]
        take(s, [(GPU, "mig-a", "gpu-%d-%s" % (card, x)) for x in take_of], s.pick(1, 2))
    return want("counters-exhausted", *subjects)


def capacity_of(s):
    return s.exact()["capacity"]["requests"]


@breaks("capacity-too-large")
def too_large(s):
    if s.kind == "both" or s.kind == "mig" or not s.recent or (s.kind == "nic" or s.kind == "tpu"):
        return None
    e = s.exact()
    have = 80 if s.kind == "shared" else int(s.product[3][:-2])
    if s.kind == "gpu":
        e["capacity"] = {"requests": {"memory": "%dGi" % (have + s.pick(1, 40))}}
        return want("capacity-too-large", "memory", least="capacity")
    if s.policy == "values":
        return None
    capacity_of(s)["memory"] = "%dGi" % (have + s.pick(1, 40))
    return want("capacity-too-large", "memory", least="capacity")


@breaks("capacity-exhausted")
def exhausted(s):
    if s.kind != "shared":
        return None
    asked = int(capacity_of(s)["memory"][:-2])
    for driver, pool, device in s.devices(GPU):
        left = s.rng.randint(0, asked - 1)
        used = 80 - left
        if s.policy == "values":
            parts = s.pick([40, 40], [40, 20, 20], [40, 20, 10], [40, 40]) if asked > 10 else [40, 20, 10, 10]
            parts = parts if 80 - sum(parts) < asked else [40, 40]
        else:
            first = s.rng.randint(1, used)
            parts = [first, used - first] if used > first and s.chance(.6) else [used]
        for p in parts:
            s.hold("%s-%d" % (s.pick("vllm", "infer"), s.number()), pool, [(driver, pool, device)], consumed={"memory": "%dGi" % p})
    return want("capacity-exhausted", "memory", least="capacity")


@breaks("policy-rejects")
def policy(s):
    if s.kind != "shared" or s.policy == "none":
        return None
    if s.policy == "values":
        capacity_of(s)["memory"] = s.pick("41Gi", "50Gi", "80Gi")
    else:
        for d in s.of_driver(GPU):
            d["capacity"]["memory"]["requestPolicy"]["validRange"]["max"] = "16Gi"
        capacity_of(s)["memory"] = s.pick("17Gi", "40Gi", "16385Mi")
    return want("policy-rejects", "memory", least="capacity")


@breaks("too-few-devices")
def too_few(s):
    if s.kind in ("mig", "shared"):
        return None
    c, r, e = a_request(s)
    most = max(len(s.devices(driver_of(s, e), n)) for n in s.good)
    e["allocationMode"], e["count"] = "ExactCount", most + s.pick(1, 2, 4)
    if c["spec"]["devices"].get("constraints"):
        return None
    return want("too-few-devices", r["name"], least="count")


@breaks("limit-exceeded")
def limit(s):
    s.claims, s.good = [], []
    s.node("big-0")
    s.good.append("big-0")
    n = s.rng.randint(33, 48)
    s.slice("big-0", "dra.cpu", [{"name": "cpu-%d" % i, "attributes": {"core": {"int": i}, "numa": {"int": i // 24}}} for i in range(n)])
    s.klass("cpus", "device.driver == 'dra.cpu'")
    r = s.request("cpus", "cpus")
    r["exactly"].pop("count", None)
    r["exactly"]["allocationMode"] = "All"
    if s.chance(.3):
        r["exactly"]["allocationMode"], r["exactly"]["count"] = "ExactCount", n
        return None
    s.claim("cpus", [r])
    return want("limit-exceeded", "cpus", least="count")


# --- nodes ---

@breaks("node-unschedulable")
def cordoned(s):
    for n in own_nodes(s):
        n["spec"]["unschedulable"] = True
        if s.chance(.5):
            n["spec"].setdefault("taints", []).append({"key": "node.kubernetes.io/unschedulable", "effect": "NoSchedule"})
    return want("node-unschedulable", *s.good)


@breaks("node-taint")
def node_taint(s):
    key = s.pick("nvidia.com/gpu", "dedicated", "node.kubernetes.io/not-ready")
    taint = s.pick({"key": key, "effect": "NoSchedule"}, {"key": key, "value": "ml", "effect": s.pick("NoSchedule", "NoExecute")})
    for n in own_nodes(s):
        n["spec"]["taints"] = [dict(taint)] + s.pick([], [{"key": "soft", "effect": "PreferNoSchedule"}])
    if s.chance(.3):
        s.pod["spec"]["tolerations"] = s.pick([{"key": "other", "operator": "Exists"}], [{"key": key, "operator": "Equal", "value": "x"}])
    return want("node-taint", key)


@breaks("node-selector")
def node_selector(s):
    labels = {"accelerator": s.pick("a100", "h100")}
    if s.chance(.4):
        for n in own_nodes(s):
            n["metadata"]["labels"]["disk"] = "ssd"
        labels["disk"] = "ssd"
    s.pod["spec"]["nodeSelector"] = labels
    return want("node-selector", "accelerator")


@breaks("node-affinity")
def node_affinity(s):
    for i, n in enumerate(own_nodes(s)):
        n["metadata"]["labels"].update({"topology.kubernetes.io/zone": "eu-1" + "ab"[i % 2], "cores": "32"})
    wrong = s.pick({"key": "topology.kubernetes.io/zone", "operator": "In", "values": ["eu-1c"]},
                   {"key": "topology.kubernetes.io/zone", "operator": "NotIn", "values": ["eu-1a", "eu-1b"]},
                   {"key": "nvlink", "operator": "Exists"}, {"key": "cores", "operator": "Gt", "values": ["64"]},
                   {"key": "topology.kubernetes.io/zone", "operator": "DoesNotExist"})
    others = [n for n in s.nodes if n["metadata"]["name"] not in s.good]
    for n in others:
        n["metadata"]["labels"]["topology.kubernetes.io/zone"] = "eu-1a"
    term = [wrong]
    if s.chance(.4):
        term.insert(s.pick(0, 1), {"key": "kubernetes.io/os", "operator": "NotIn", "values": ["windows"]})
    s.pod["spec"]["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {
        "nodeSelectorTerms": [{"matchExpressions": term}]}}}
    return want("node-affinity", wrong["key"])


@breaks("node-resources")
def node_resources(s):
    requests = s.pod["spec"]["containers"][0]["resources"]["requests"]
    how = s.pick("cpu", "memory", "pods", "busy", "extended")
    if how == "cpu":
        requests["cpu"] = s.pick("33", "40500m", "64")
        return want("node-resources", "cpu")
    if how == "memory":
        requests["memory"] = s.pick("300Gi", "1Ti")
        return want("node-resources", "memory")
    if how == "extended":
        for n in own_nodes(s):
            n["status"]["allocatable"]["example.com/fpga"] = "1"
        requests["example.com/fpga"] = "2"
        s.pod["spec"]["containers"][0]["resources"].setdefault("limits", {})["example.com/fpga"] = "2"
        return want("node-resources", "example.com/fpga")
    if how == "pods":
        for n in own_nodes(s):
            k = len([o for o in s.others if o["kind"] == "Pod" and o["spec"].get("nodeName") == n["metadata"]["name"]])
            if k == 0:
                s.run_pod("one-" + n["metadata"]["name"], s.ns, n["metadata"]["name"])
                k = 1
            n["status"]["allocatable"]["pods"] = str(k)
        return want("node-resources", "pods")
    for n in own_nodes(s):
        s.run_pod("big-" + n["metadata"]["name"], s.pick(s.ns, "batch"), n["metadata"]["name"], cpu="%d" % s.rng.randint(31, 32))
    return want("node-resources", "cpu")


@breaks("node-ports")
def node_ports(s):
    port, protocol = s.pick(9400, 8080), s.pick("TCP", "TCP", "UDP")
    p = {"containerPort": port, "hostPort": port}
    if protocol != "TCP" or s.chance(.5):
        p["protocol"] = protocol
    for n in own_nodes(s):
        other = s.run_pod("exporter-" + n["metadata"]["name"], "monitoring", n["metadata"]["name"], cpu="100m")
        other["spec"]["containers"][0]["ports"] = [dict(p)]
    s.pod["spec"]["containers"][0]["ports"] = [dict(p)] + s.pick([], [{"containerPort": 81}])
    return want("node-ports", "%d/%s" % (port, protocol))


def zones(s):
    key = s.pick("topology.kubernetes.io/zone", HOST, "rack")
    for n in s.nodes:
        n["metadata"]["labels"].setdefault(key, s.pick("a", "b"))
    return key


def term(key, app):
    return {"topologyKey": key, "labelSelector": {"matchLabels": {"app": app}}}


@breaks("pod-affinity")
def pod_affinity(s):
    key = zones(s)
    terms = [term(key, s.pick("feature-store", "nobody"))]
    if s.chance(.3):  # one that is met
        for n in own_nodes(s):
            s.run_pod("friend-" + n["metadata"]["name"], s.ns, n["metadata"]["name"], cpu="100m")["metadata"]["labels"] = {"app": "friend"}
        terms.insert(0, term(HOST, "friend"))
    s.pod["spec"].setdefault("affinity", {})["podAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": terms}
    return want("pod-affinity", key)


@breaks("pod-anti-affinity")
def pod_anti_affinity(s):
    key = zones(s)
    s.pod["metadata"]["labels"] = {"app": "replica"}
    existing = s.chance(.3)
    for n in own_nodes(s):
        name = n["metadata"]["name"]
        other = s.run_pod("replica-" + name, s.ns, name, cpu="100m")
        other["metadata"]["labels"] = {"app": "replica"}
        if existing:
            other["spec"]["affinity"] = {"podAntiAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": [term(key, "replica")]}}
    if not existing:
        terms = [term(key, "replica")]
        if s.chance(.3):
            terms.insert(0, term(s.pick(key, "example.com/none", HOST), "nobody"))
        s.pod["spec"].setdefault("affinity", {})["podAntiAffinity"] = {"requiredDuringSchedulingIgnoredDuringExecution": terms}
    return want("pod-anti-affinity", key)


@breaks("topology-spread")
def spread(s):
    s.pod["metadata"]["labels"] = {"app": "spread"}
    c = {"maxSkew": 1, "whenUnsatisfiable": "DoNotSchedule", "labelSelector": {"matchLabels": {"app": "spread"}}}
    if s.chance(.5):
        c["topologyKey"] = s.pick("topology.kubernetes.io/rack", "zone")
        s.pod["spec"]["topologySpreadConstraints"] = [c]
        return want("topology-spread", c["topologyKey"])
    c["topologyKey"] = "zone"
    for n in s.nodes:
        n["metadata"]["labels"]["zone"] = "full" if n["metadata"]["name"] in s.good else "free"
    if all(n["metadata"]["name"] in s.good or n["spec"].get("taints") or n["spec"].get("unschedulable") for n in s.nodes):
        s.node("spare-0", zone="free")
    for i in range(2):
        s.run_pod("spread-%d" % i, s.ns, s.good[0], cpu="100m")["metadata"]["labels"] = {"app": "spread"}
    s.pod["spec"]["topologySpreadConstraints"] = [c]
    return want("topology-spread", "zone")


# --- several at once, and what is rarer ---

@breaks("too-few-devices")
def too_few_twice(s):
    if s.kind != "both":
        return None
    for c, r, e in exacts(s):
        if driver_of(s, e) in (GPU, NIC) and "/" not in r["name"]:
            most = max(len(s.devices(driver_of(s, e), n)) for n in s.good)
            e["allocationMode"], e["count"] = "ExactCount", most + s.pick(1, 2)
    for c in s.claims:
        c["spec"]["devices"].pop("constraints", None)
    return want("too-few-devices", "gpu", "nic")


@breaks("in-use")
def held_twice(s):
    if s.kind != "both":
        return None
    holders = []
    for n in s.good:
        for driver in (GPU, NIC):
            holders += take(s, s.devices(driver, n), 4)
    return want("in-use", *holders)


@breaks("class-missing")
def class_missing_twice(s):
    names = {}
    for c, r, e in exacts(s):
        wrong = names.setdefault(e["deviceClassName"], typo(s, e["deviceClassName"]))
        if wrong in s.classes:
            return None
        e["deviceClassName"] = wrong
    return want("class-missing", *names.values()) if len(exacts(s)) > 1 else None


def by_resource(s):
    """The class and the number that the Pod asks for by an extended resource."""
    for name, k in s.classes.items():
        if k["spec"].get("extendedResourceName") == "example.com/dev" and getattr(s, "by_resource", False):
            r = s.pod["spec"]["containers"][0]["resources"]["requests"]
            if "example.com/dev" in r:
                return name, int(r["example.com/dev"])
    return None, 0


@breaks("in-use", "in-use-leaked")
def extended_in_use(s):
    name, n = by_resource(s)
    if name is None:
        return None
    driver, holders, leaked = driver_of(s, {"deviceClassName": name}), [], s.chance(.3)
    for g in s.good:
        mine = s.devices(driver, g)
        holders += take(s, mine[s.rng.randint(0, n - 1):], s.pick(1, 2), leaked)
    if any(len(s.devices(driver, g)) < n for g in s.good):
        return None
    return want("in-use-leaked" if leaked else "in-use", *holders)


@breaks("device-taint")
def extended_taint(s):
    name, n = by_resource(s)
    if name is None:
        return None
    for d in s.of_driver(driver_of(s, {"deviceClassName": name})):
        d["taints"] = [{"key": "example.com/sick", "effect": "NoExecute"}]
    return want("device-taint", "example.com/sick")


@breaks("too-few-devices")
def extended_too_few(s):
    name, n = by_resource(s)
    if name is None:
        return None
    most = max(len(s.devices(driver_of(s, {"deviceClassName": name}), g)) for g in s.good)
    r = s.pod["spec"]["containers"][0]["resources"]
    r["requests"]["example.com/dev"] = r["limits"]["example.com/dev"] = str(most + 1)
    return want("too-few-devices", *["container-0-request-%d" % i for i in range(4)])


@breaks("node-affinity")
def node_fields(s):
    terms = [{"matchFields": [{"key": "metadata.name", "operator": "In", "values": [s.pick("gpu-zz", "old-node")]}]}]
    s.pod["spec"]["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": terms}}}
    return want("node-affinity", "metadata.name")


@breaks("node-affinity")
def node_terms(s):
    for n in own_nodes(s):
        n["metadata"]["labels"].update({"pool": "gpu", "gen": "2"})
    s.pod["spec"]["affinity"] = {"nodeAffinity": {"requiredDuringSchedulingIgnoredDuringExecution": {"nodeSelectorTerms": [
        {"matchExpressions": [{"key": "pool", "operator": "In", "values": ["gpu"]}, {"key": "gen", "operator": "In", "values": ["3"]}]},
        {"matchExpressions": [{"key": "lab", "operator": "Exists"}]}]}}}
    return want("node-affinity", "gen", "lab")


@breaks("node-resources")
def resources_elsewhere(s):
    spec, how = s.pod["spec"], s.pick("init", "sidecar", "storage", "two")
    if how == "init":
        spec["initContainers"] = [{"name": "init", "image": "i", "resources": {"requests": {"cpu": "40"}}}]
        return want("node-resources", "cpu")
    if how == "sidecar":
        spec["initContainers"] = [{"name": "side", "image": "i", "restartPolicy": "Always", "resources": {"requests": {"memory": "300Gi"}}}]
        return want("node-resources", "memory")
    if how == "storage":
        spec["containers"][0]["resources"]["requests"]["ephemeral-storage"] = "300Gi"
        return want("node-resources", "ephemeral-storage")
    spec["containers"][0]["resources"]["requests"]["cpu"] = "20"
    spec["containers"].append({"name": "second", "image": "i", "resources": {"requests": {"cpu": "20"}}})
    return want("node-resources", "cpu")


@breaks("node-resources")
def resources_twice(s):
    r = s.pod["spec"]["containers"][0]["resources"]["requests"]
    r["cpu"], r["memory"] = "40", "400Gi"
    return want("node-resources", "cpu", "memory")


@breaks("node-taint")
def taint_twice(s):
    for n in own_nodes(s):
        n["spec"]["taints"] = [{"key": "a", "effect": "NoSchedule"}, {"key": "b", "value": "x", "effect": "NoExecute"}]
    return want("node-taint", "a", "b")


@breaks("device-taint")
def device_taint_twice(s):
    if not s.recent:
        return None
    c, r, e = a_request(s)
    for d in s.of_driver(driver_of(s, e)):
        d["taints"] = [{"key": "a", "effect": "NoSchedule"}, {"key": "b", "value": "x", "effect": "NoExecute"}]
    return want("device-taint", "a", "b")


@breaks("node-resources")
def priorities(s):
    """Only Pods of less priority stand in the way: preemption would help, it doesn't matter here."""
    s.pod["spec"]["priority"] = 1000
    for n in own_nodes(s):
        s.run_pod("low-" + n["metadata"]["name"], s.ns, n["metadata"]["name"], cpu="31", priority=1)
    return want("node-resources", "cpu")


@breaks("attribute-misspelt")
def misspelt_twice(s):
    """The same slip in two selectors."""
    c, r, e = a_request(s)
    domain, all_ = right_conditions(s, e)
    name, capacity, rest = s.pick(*all_)
    written = name[:-1] + "xx"
    if len(name) < 5:
        return None
    for _ in range(2):
        e.setdefault("selectors", []).append({"cel": {"expression": look_up(s, domain, written, capacity) + rest}})
    return want("attribute-misspelt", "%s/%s" % (domain, written))


@breaks("selector-false")
def false_twice(s):
    """Two conditions that no device meets together, each of them met by some."""
    c, r, e = a_request(s)
    domain = driver_of(s, e)
    for i, d in enumerate(s.of_driver(domain)):
        d.setdefault("attributes", {}).update({"half": {"string": "ab"[i % 2]}, "other": {"int": i % 2}})
    text = look_up(s, domain, "half") + " == 'a' && " + look_up(s, domain, "other") + " == 1"
    return want("selector-false", at_request(put_condition(s, e, text), r))


@breaks("constraint-unsatisfied")
def constraint_over_claims(s):
    """Two constraints that hold alone and not together."""
    if s.kind != "nic":
        return None
    c, r, e = a_request(s)
    if e.get("count", 1) != 1 or "/" in r["name"] or r["name"] != "nic":
        return None
    e["allocationMode"], e["count"] = "ExactCount", 2
    for n in s.good:
        if len(s.devices(NIC, n)) < 2:
            return None
    for x in slices_of(s, e):
        for i, d in enumerate(x["spec"]["devices"]):
            d["attributes"].update(side={"string": "s%d" % i}, numaNode={"int": 0})
    c["spec"]["devices"]["constraints"] = [{"matchAttribute": NIC + "/numaNode"}, {"matchAttribute": NIC + "/side"}]
    return want("constraint-unsatisfied", NIC + "/side", least="count")


@breaks("counters-exhausted")
def shared_counters(s):
    """The devices are free and the counters of their set are drawn on by others; All asks for all of them."""
    if s.kind not in ("gpu", "tpu") or not s.recent:
        return None
    c, r, e = a_request(s)
    if driver_of(s, e) == QAT or e.get("count", 1) > 1:
        return None
    for x in list(slices_of(s, e)):
        pool = x["spec"]["pool"]["name"]
        devices = x["spec"].get("devices", [])
        if x["spec"]["pool"]["resourceSliceCount"] != 1 or "nodeName" not in x["spec"]:
            return None
        x["spec"]["pool"]["resourceSliceCount"] = 2
        y = copy.deepcopy(x)
        y["metadata"]["name"] += "-counters"
        del y["spec"]["devices"]
        y["spec"]["sharedCounters"] = [{"name": "power", "counters": {"watts": {"value": "700"}}}]
        s.slices.append(y)
        for d in devices:
            d["consumesCounters"] = [{"counterSet": "power", "counters": {"watts": {"value": "400"}}}]
        if len(devices) < 2:
            return None
        s.hold("hot-%d" % s.number(), pool, [(x["spec"]["driver"], pool, devices[0]["name"])], klass=e["deviceClassName"])
    return want("counters-exhausted", "power")


@breaks("gate-off")
def distinct_gate(s):
    """A release in which constraints of that kind need a gate that is off at first."""
    if s.recent or s.kind in ("mig", "shared"):
        return None
    c, r, e = a_request(s)
    name = {GPU: "uuid", NIC: "ifName"}.get(driver_of(s, e))
    if name is None or "/" in r["name"]:
        return None
    c["spec"]["devices"].setdefault("constraints", []).append(
        {"distinctAttribute": "%s/%s" % (driver_of(s, e), name), "requests": [r["name"]]})
    return want("gate-off", "DRAConsumableCapacity")


@breaks("gate-off")
def derived_gate(s):
    if s.version != "1.37" or s.kind in ("mig", "shared"):
        return None
    c, r, e = a_request(s)
    if "/" in r["name"]:
        return None
    e["derivedAttributes"] = [{"name": "example.com/made", "expression": "device.driver"}]
    return want("gate-off", "DRADerivedAttributes")


@breaks("counters-exhausted")
def groups(s):
    """Partitions that may not be in use together."""
    if s.kind != "mig" or s.version != "1.37":
        return None
    s.gates["DRADeviceCompatibilityGroups"] = True
    small = "1g-10gb-0" if s.profile != "1g.10gb" else "3g-40gb-0"
    if s.profile in ("7g.80gb",):
        return None
    for d in s.of_driver(GPU):
        mine = s.profile.replace(".", "-") in d["name"]
        d["consumesCounters"][0]["compatibilityGroups"] = ["a"] if mine else ["b"]
        d["consumesCounters"][0]["counters"] = {"memory": {"value": "1Gi"}}
    for card in range(s.cards):
        take(s, [(GPU, "mig-a", "gpu-%d-%s" % (card, small))], 1)
    return want("counters-exhausted", *["gpu-%d-counters" % c for c in range(s.cards)])


@breaks("node-resources")
def nominated(s):
    """The room is kept for a Pod that others were evicted for."""
    for n in own_nodes(s):
        name = n["metadata"]["name"]
        other = s.run_pod("first-" + name, s.ns, name, cpu="31", priority=100)
        del other["spec"]["nodeName"]
        other["status"] = {"phase": "Pending", "nominatedNodeName": name}
    return want("node-resources", "cpu")


@breaks("node-resources")
def many_containers(s):
    for i in range(3):
        s.pod["spec"]["containers"].append({"name": "c%d" % i, "image": "i", "resources": {"requests": {"cpu": "14"}}})
    for n in own_nodes(s):
        n["status"]["allocatable"]["cpu"] = "20"
        s.others = [o for o in s.others if not o["metadata"]["name"].startswith("job-")]
    for n in s.nodes:
        if n["metadata"]["name"].startswith("old"):
            n["status"]["allocatable"]["cpu"] = "1"
    return want("node-resources", "cpu")


@breaks("node-resources")
def plugin_full(s):
    """A device plugin's devices are all taken."""
    r = s.pod["spec"]["containers"][0]["resources"]
    r["requests"]["example.com/fpga"] = "1"
    r.setdefault("limits", {})["example.com/fpga"] = "1"
    for n in own_nodes(s):
        n["status"]["allocatable"]["example.com/fpga"] = "1"
        other = s.run_pod("fpga-" + n["metadata"]["name"], s.ns, n["metadata"]["name"])
        other["spec"]["containers"][0]["resources"]["requests"]["example.com/fpga"] = "1"
        other["spec"]["containers"][0]["resources"]["limits"] = {"example.com/fpga": "1"}
    return want("node-resources", "example.com/fpga")


@breaks("extended-resource-unknown")
def plugin_gone(s):
    """The plugin is gone, the kubelet says 0."""
    if not s.recent or s.kind != "gpu":
        return None
    s.claims = []
    r = s.pod["spec"]["containers"][0]["resources"]
    r["requests"]["nvidia.com/gpu"] = "1"
    r.setdefault("limits", {})["nvidia.com/gpu"] = "1"
    for n in own_nodes(s):
        n["status"]["allocatable"]["nvidia.com/gpu"] = "0"
    return want("extended-resource-unknown", "nvidia.com/gpu")


@breaks("too-few-devices")
def all_and_one(s):
    """One request takes all that there are, another asks for one more."""
    if s.kind not in ("gpu", "tpu", "nic"):
        return None
    c, r, e = a_request(s)
    if "/" in r["name"] or driver_of(s, e) == QAT or len(exacts(s)) > 1:
        return None
    e.pop("count", None)
    e["allocationMode"] = "All"
    c["spec"]["devices"]["requests"].append({"name": "one", "exactly": {"deviceClassName": e["deviceClassName"]}})
    return want("too-few-devices", "one", r["name"])


@breaks("pool-invalid")
def counts_differ(s):
    """The slices of a pool say differently how many there are."""
    c, r, e = a_request(s)
    mine = slices_of(s, e)
    for x in list(mine):
        if x["spec"]["pool"]["resourceSliceCount"] != 1 or not x["spec"].get("devices"):
            return None
        other = copy.deepcopy(x)
        other["metadata"]["name"] += "-more"
        for d in other["spec"]["devices"]:
            d["name"] += "-more"
        other["spec"]["pool"]["resourceSliceCount"] = s.pick(1, 2, 3)
        s.slices.append(other)
    return want("pool-invalid", *["%s/%s" % (x["spec"]["driver"], x["spec"]["pool"]["name"]) for x in mine])
