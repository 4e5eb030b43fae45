#!/usr/bin/env python3
"""Checks from outside that a server keeps what it acknowledges, whatever happens to it. README.md says how."""
import argparse
import http.client
import json
import os
import random
import re
import resource
import shlex
import shutil
import signal
import socket
import struct
import subprocess
import sys
import tempfile
import threading
import time
from urllib.parse import urlencode
from urllib.request import ProxyHandler, build_opener

SUBSCRIBED, UNSUBSCRIBED = "SUBSCRIPTION_STATE_SUBSCRIBED", "SUBSCRIPTION_STATE_UNSUBSCRIBED"
WORKS = {"view": 9, "batch": 3, "blank": 1, "order": 3, "subscribe": 4, "contacts": 1, "product": 3, "frame": 1, "read": 6, "erase": 1}
STATES = (SUBSCRIBED, UNSUBSCRIBED)


class Refused(Exception):
    """The server has answered that it did nothing."""


class Unknown(Exception):
    """No answer came, or one after which both may be true."""


class Client:
    """The connections of one thread to a server's ports of "rest" and "rpc"."""

    def __init__(self, server):
        self.server, self.open = server, {}

    def send(self, side, path, body, **headers):
        try:
            connection = self.open.pop(side, None) or http.client.HTTPConnection("127.0.0.1", self.server.ports[side], timeout=60)
            headers = {name.replace("_", "-"): value for name, value in headers.items() if value}
            connection.request("POST" if body else "GET", path, body, headers)
            if self.server.is_cut:
                time.sleep(random.uniform(0, 0.1))
                connection.close()
                raise Unknown("cut")
            answer = connection.getresponse()
            text = answer.read()
        except (OSError, http.client.HTTPException) as error:
            raise Unknown(type(error).__name__) from error
        self.open[side] = connection
        if answer.status != 200:
            maybe = answer.status in (408, 429) or answer.status >= 500
            raise (Unknown if maybe else Refused)(f"{answer.status} {text[:200]!r}")
        return answer.headers, text

    def rest(self, path, form=None, key=None):
        body = urlencode(form) if form else None
        return self.send("rest", path, body, content_type="application/x-www-form-urlencoded", idempotency_key=key)

    def rpc(self, method, **request):
        body = json.dumps(request if "app" in request else {"appId": "shop", **request})
        return json.loads(self.send("rpc", f"/aisle.v1.{method}", body, content_type="application/json")[1])

    def stream(self, method, **request):
        """The messages that answer a request of a streaming method."""
        body = json.dumps({"appId": "shop", **request}).encode()
        body = struct.pack(">BI", 0, len(body)) + body
        rest, messages = self.send("rpc", f"/aisle.v1.{method}", body, content_type="application/connect+json")[1], []
        while rest:
            size = struct.unpack(">xI", rest[:5])[0]
            messages.append(json.loads(rest[5 : 5 + size]))
            rest = rest[5 + size :]
        if "error" in (messages.pop() if messages else {"error": "cut off"}):
            raise Unknown("a stream failed")
        return messages

    def pages(self, method, field, **request):
        """Every item of a listing."""
        token = None
        while token != "":
            page = self.rpc(method, pageSize=1000, pageToken=token or "", **request)
            yield from page.get(field, [])
            token = page.get("nextPageToken", "")


class Sent:
    """An event: `outcome` is unknown, acknowledged, refused, erased or maybe (an erasure may have begun)."""
    __slots__ = ("event_id", "order", "outcome", "product", "visitor")

    def __init__(self, event):
        self.outcome, self.event_id, self.order = "unknown", None, event.get("order", {}).get("orderId")
        self.visitor, self.product = event["visitor"]["fingerprintId"], [one["productId"] for one in event["products"][:1]]


class Register:
    """A value of one writer. While a write has no answer both values are right, until a restart decides."""
    def __init__(self):
        self.sure, self.maybe = None, []

    def allows(self, value):
        return value == self.sure or value in self.maybe


class History:
    """All that was done, in memory and as lines of JSON in a file."""
    def __init__(self, path, plan):
        self.file, self.lock = open(path, "w", encoding="utf-8"), threading.Lock()
        self.events, self.registers, self.faults = {}, {}, {"lost": [], "doubled": [], "wrong": []}
        self.told = 0  # events of the server's process whose callers were told, as its counters have them
        self.untold = 0  # events of calls without an answer since before that process began
        self.note(plan=plan)

    def note(self, **line):
        with self.lock:
            self.file.write(json.dumps({"at": round(time.time(), 3), **line}) + "\n")

    def fault(self, kind, what):
        if what not in self.faults[kind]:
            self.faults[kind].append(what)
            self.note(fault=kind, what=what)

    def acknowledged(self):
        return sum(sent.outcome == "acknowledged" for sent in self.events.values())

    def register(self, name):
        return self.registers.setdefault(name, Register())


class Worker:
    def __init__(self, number, seed, server, history, batch, only):
        self.number, self.history, self.batch_size = number, history, batch
        self.client, self.reader = Client(server), Client(server)  # of several processes, reads may meet another one
        self.random = random.Random(f"{seed}/{number}")
        self.count, self.again, self.newest = 0, [], {}
        self.works = [work for work in only for _ in range(WORKS[work])]

    def run(self, over):
        while not over.is_set():
            if self.again:  # events with keys that had no answer: sent again, they are stored once
                self.record(*self.again.pop(), keyed=True)
            else:
                getattr(self, self.random.choice(self.works))()

    def next(self):
        self.count += 1
        return f"{self.number}.{self.count}"

    def visitor(self):
        return f"v{self.number}-{self.random.randrange(4)}"

    def attempt(self, call, **said):
        """The answer; None when there was none, False when the server refused."""
        try:
            answer, outcome = call() or {}, "ok"
        except Unknown as error:
            answer, outcome = None, f"unknown: {error}"
            time.sleep(0.02)
        except Refused as error:
            answer, outcome = False, f"refused: {error}"
        self.history.note(worker=self.number, outcome=outcome, **said)
        return answer

    # Events

    def event(self, action, visitor, products=("p1", "p2", "p3"), **more):
        mark = self.next()
        return {"actionType": action, "visitor": {"fingerprintId": visitor}, "extraFields": {"mark": mark}, **more,
                "products": [{"productId": product, "quantity": 2} for product in products]}

    def record(self, events, call=None, keyed=False):
        """Sends events, by `call` or by RPC. True when all of them are acknowledged; otherwise as `attempt`."""
        marks = [event["extraFields"]["mark"] for event in events]
        for mark, event in zip(marks, events):
            self.history.events.setdefault(mark, Sent(event))
        keys = {"idempotencyKeys": marks} if keyed else {}
        call = call or (lambda: self.client.rpc("EventService/BatchRecordEvents", events=events, **keys))
        answer = self.attempt(call, marks=marks, keyed=keyed)
        recorded = (answer or {}).get("recorded", [])
        with self.history.lock:
            self.history.told += len(recorded)
            self.history.untold += len(events) if answer is None else 0
        if answer is None and keyed:
            self.again.append((events, call))
        for one in recorded:
            sent = self.history.events[marks[one.get("index", 0)]]
            sent.outcome, sent.event_id = "acknowledged", one["eventId"]
        for one in (answer or {}).get("refused", []) + [{"index": n} for n in range(len(marks)) if answer is False]:
            self.history.events[marks[one.get("index", 0)]].outcome = "refused"
        if recorded and self.random.random() < 0.2:
            self.sees(lambda: self.reader.rpc("EventService/GetEvent", eventId=sent.event_id))
        return answer and len(recorded) == len(marks)

    def sees(self, read):
        try:
            return read()
        except Refused as error:
            self.history.fault("wrong", f"worker {self.number} reads what it was told is there: {error}")
        except Unknown:
            return None

    def view(self):
        event, keyed = self.event("product_view", self.visitor()), self.random.random() < 0.5
        mark = event["extraFields"]["mark"]
        form = {"app_id": "shop", "action_type": "product_view", "product_ids": "p1", "mark": mark}
        form["fp_ccid"] = event["visitor"]["fingerprintId"]
        call = lambda: self.client.rest("/trace", form, keyed and mark)[0]["x-service-event-id"]
        self.record([event], lambda: {"recorded": [{"eventId": call()}]}, keyed)

    def batch(self):
        size = self.batch_size or self.random.randint(1, 40)
        self.record([self.event("add_to_cart", self.visitor()) for _ in range(size)], keyed=self.random.random() < 0.5)

    def blank(self):
        if self.record([self.event(self.random.choice(["", "product_view"]), self.visitor(), [])]):
            self.history.fault("wrong", "an event without a type or product was accepted")

    def order(self):
        """The order, maybe told again, maybe cancelled."""
        visitor, order = self.visitor(), {"orderId": f"o{self.next()}"}
        for action in ["order", "order", "order_cancel"][: self.random.randint(1, 3)]:
            self.record([self.event(action, visitor, order=order)], keyed=True)

    # Values that only this worker writes

    def write(self, values, call):
        for name, value in values.items():
            self.history.register(name).maybe.append(value)
        answer = self.attempt(call, values=values)
        for name, value in values.items() if answer is not None else ():
            register = self.history.register(name)
            register.maybe.remove(value)
            register.sure = value if answer else register.sure

    def subscribe(self):
        """Yes and no in turn, by an event or a call."""
        visitor = self.visitor()
        email = f"{visitor}@example.com"
        state = UNSUBSCRIBED if self.history.register(email).sure == SUBSCRIBED else SUBSCRIBED
        contact = {"email": email, "emailSubscribed": state == SUBSCRIBED}
        event = self.event("subscribe", visitor, [], contact=contact)
        said = {"email": email, "emailState": state, "visitor": event["visitor"]}

        def by_event():
            answer = self.record([event])
            if answer is None:
                raise Unknown("no answer")
            return answer and {"said": True}
        by_call = lambda: self.client.rpc("SubscriptionService/SetSubscription", **said)
        self.write({email: state}, by_event if self.random.random() < 0.5 else by_call)

    def contacts(self):
        values = {f"i{self.next()}@example.com": SUBSCRIBED for _ in range(5)}
        contacts = [{"email": email, "emailState": state} for email, state in values.items()]
        self.write(values, lambda: self.client.stream("SubscriptionService/ImportContacts", contacts=contacts))

    def product(self):
        values = {f"q{self.number}-{n}": f"title {self.next()}" for n in range(self.random.randint(1, 2))}
        products = [{"productId": product, "title": title} for product, title in values.items()]
        one = lambda: self.client.rpc("CatalogService/UpdateProduct", product=products[0])
        self.write(values, one if len(values) == 1 else lambda: self.client.stream("CatalogService/UpsertProducts", products=products))

    def frame(self):
        frame = {"frameId": f"f{self.number}", "title": f"title {self.next()}"}
        self.write({frame["frameId"]: frame["title"]}, lambda: self.client.rpc("AppService/SetFrameConfiguration", frameConfiguration=frame))

    def erase(self):
        """A visitor comes, says who they are, orders, and has all of it erased."""
        visitor = f"x{self.next()}"
        events = [self.event("product_view", visitor), self.event("subscribe", visitor, contact={"email": f"{visitor}@example.com"})]
        events.append(self.event("order", visitor, order={"orderId": f"o{visitor}"}))
        done, answer = self.record(events), None
        if done:
            person = {"visitor": {"fingerprintId": visitor}, "includeLinkedContact": True}
            answer = self.attempt(lambda: self.client.rpc("PrivacyService/EraseVisitor", person=person), erased=visitor)
        while answer and answer["operation"]["state"] == "OPERATION_STATE_RUNNING":
            operation = answer["operation"]["operationId"]
            answer = self.attempt(lambda: self.client.rpc("OperationService/WaitOperation", operationId=operation))
        is_done = answer and answer["operation"]["state"] == "OPERATION_STATE_SUCCEEDED"
        for event in events:
            self.history.events[event["extraFields"]["mark"]].outcome = "erased" if is_done else "maybe"

    def read(self):
        """Nothing is older than what this worker was told, or has read before."""
        visitor = self.visitor()
        for name, read in {
            f"{visitor}@example.com": lambda: {True: SUBSCRIBED, False: UNSUBSCRIBED, None: None}[json.loads(
                self.reader.rest(f"/subscription_status?app_id=shop&fpcid={visitor}&force=true")[1])["status"]],
            f"q{self.number}-0": lambda: self.reader.rpc("CatalogService/GetProduct", productId=f"q{self.number}-0")["product"]["title"],
        }.items():
            register = self.history.register(name)
            value = self.sees(read) if register.sure else None
            if value and not register.allows(value):
                self.history.fault("wrong", f"{name} is read as {value}, not as {register.sure}")
        asked = {"visitor": {"fingerprintId": visitor}, "newestFirst": True, "pageSize": 1}
        for event in (self.sees(lambda: self.reader.rpc("EventService/ListEvents", **asked)) or {}).get("events", []):
            if event["eventId"] < self.newest.get(visitor, ""):
                self.history.fault("wrong", f"{visitor} reads {event['eventId']} after {self.newest[visitor]}")
            self.newest[visitor] = event["eventId"]


class Server:
    def __init__(self, command, directory, log):
        self.command, self.directory, self.log = command, directory, open(log, "ab")
        free = [socket.create_server(("127.0.0.1", 0)) for _ in range(2)]
        self.ports = {side: one.getsockname()[1] for side, one in zip(("rest", "rpc"), free)}
        for one in free:
            one.close()
        self.is_cut = False
        self.clock_file = f"{directory}.clock" if "{clock}" in command else None
        self.set_clock(0)

    def start(self):
        words = shlex.split(self.command.format(dir=self.directory, clock=self.clock_file, **self.ports))
        out = {"stdout": subprocess.PIPE, "stderr": subprocess.STDOUT}  # a pipe, since `full` limits files
        self.process = subprocess.Popen(words, start_new_session=True, **out)
        threading.Thread(target=self.keep, args=(self.process.stdout,), daemon=True).start()
        self.wait()

    def keep(self, lines):
        for line in lines:
            self.log.write(line)
            self.log.flush()

    def wait(self):
        """Until it says that it is ready."""
        until = time.monotonic() + 120
        while time.monotonic() < until and self.process.poll() is None:
            try:
                return build_opener(ProxyHandler({})).open(f"http://127.0.0.1:{self.ports['rest']}/readyz", timeout=5).read()
            except OSError:
                time.sleep(0.05)
        raise SystemExit(f"The server is not ready; its last words are in {self.log.name}")

    def end(self):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def pids(self):
        found = [pid for pid in os.listdir("/proc") if pid.isdigit()]
        return [int(pid) for pid in found if os.getsid(int(pid)) == self.process.pid]

    def suffer(self, fault, after, random):
        time.sleep(after)
        return getattr(self, fault)(random)

    def kill(self, random):
        self.end()
        self.start()

    def term(self, random):
        self.process.terminate()
        code = self.process.wait(90)
        self.start()
        return f"ended with {code}" if code else None

    def stop(self, random):
        os.killpg(self.process.pid, signal.SIGSTOP)
        time.sleep(random.uniform(0.2, 2))
        os.killpg(self.process.pid, signal.SIGCONT)

    def cut(self, random):
        """Requests arrive, and their connections break before the answers."""
        self.is_cut = True
        time.sleep(random.uniform(0.05, 0.5))
        self.is_cut = False

    def full(self, random):
        """No file of the store can grow, as on a full disk."""
        if not os.path.exists(self.directory):
            return "not done: no {dir} in --serve"
        size = max(os.path.getsize(os.path.join(self.directory, name)) for name in os.listdir(self.directory))
        self.limit(size)
        time.sleep(random.uniform(0.5, 1.5))
        self.limit(resource.RLIM_INFINITY)

    def limit(self, size):
        for pid in self.pids():
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))

    def disk(self, random):
        """The next sync, or the next write, of each thread fails with EIO."""
        calls = random.choice(["fdatasync,fsync,msync", "pwrite64,pwritev"])
        pids = [word for pid in self.pids() for word in ("-p", str(pid))]
        inject = ["-e", f"trace={calls}", "-e", f"inject={calls}:error=EIO:when=1"]
        try:
            tracer = subprocess.Popen(["strace", "-f", "-qq", "-o", "/dev/null", *inject, *pids], stderr=subprocess.DEVNULL)
        except OSError as error:
            return f"not done: {error}"
        time.sleep(random.uniform(1, 3))
        tracer.terminate()
        return None if tracer.wait() in (0, -15, 143) else "not done: strace may not trace"

    def clock(self, random):
        """The system clock, as the server sees it, jumps by 25 hours and back."""
        if not self.clock_file:
            return "not done: no {clock} in --serve"
        self.set_clock(random.choice([-90_000_000, 90_000_000]))
        time.sleep(random.uniform(0.5, 2))
        self.set_clock(0)

    def set_clock(self, ms):
        if self.clock_file:
            with open(f"{self.clock_file}.new", "w", encoding="utf-8") as file:
                file.write(str(ms))
            os.replace(f"{self.clock_file}.new", self.clock_file)


def events_of(client, history, since):
    """Judges the stored events whose ids are greater than `since`. Answers the greatest id."""
    stored, orders, greatest = {}, {}, since
    for event in client.pages("EventService/ListEvents", "events", newestFirst=True):
        event_id, mark = event["eventId"], event.get("extraFields", {}).get("mark")
        if event_id <= since:
            break
        greatest = max(greatest, event_id)
        sent = history.events.get(mark)
        if mark in stored:
            history.fault("doubled", f"event {mark} is stored as {stored[mark]} and {event_id}")
        elif sent is None or sent.outcome in ("refused", "erased"):
            history.fault("wrong", f"event {mark} is stored and {'was never sent' if sent is None else sent.outcome}")
        elif (event.get("visitor", {}).get("fingerprintId"), [one["productId"] for one in event.get("products", [])[:1]]) != (sent.visitor, sent.product):
            history.fault("wrong", f"event {mark} is not stored as it was sent")
        elif sent.event_id not in (None, event_id):
            history.fault("wrong", f"event {mark} was acknowledged as {sent.event_id} and is stored as {event_id}")
        stored[mark] = event_id
        if sent and sent.order and sent.outcome != "maybe":
            orders.setdefault(sent.order, set()).add(event["actionType"])
    for mark, sent in history.events.items():
        if sent.outcome == "acknowledged" and sent.event_id > since and mark not in stored:
            history.fault("lost", f"event {mark}, acknowledged as {sent.event_id}")
    return greatest, orders


def values_of(client, history, is_new):
    """Judges contacts, products and frames against what their writers were told, and contacts against the ledger."""
    values = {one["contactId"]: one for one in client.pages("SubscriptionService/ListContacts", "contacts")}
    folded = {}
    for change in client.pages("SubscriptionService/ListChanges", "changes"):
        if not change.get("erased") and change["channel"] == "SUBSCRIPTION_CHANNEL_EMAIL":
            before = folded.get(change["contactId"], "SUBSCRIPTION_STATE_UNKNOWN")
            if change["oldState"] != before:
                history.fault("wrong", f"change {change['changeId']} follows {change['oldState']}, not {before}")
            folded[change["contactId"]] = change["newState"]
    for contact_id, contact in values.items():
        if contact["emailState"] in STATES and folded.get(contact_id) != contact["emailState"]:
            history.fault("wrong", f"{contact['email']} is {contact['emailState']}; its changes say {folded.get(contact_id)}")
    for part in client.stream("SubscriptionService/VerifyLedger"):
        if part.get("faultTotal"):
            history.fault("wrong", f"the ledger has faults: {part['faults']}")
    found = {one["email"]: one["emailState"] for one in values.values()}
    found |= {one["productId"]: one.get("title") for one in client.pages("CatalogService/ListProducts", "products")}
    frames = client.pages("AppService/ListFrameConfigurations", "frameConfigurations")
    found |= {one["frameId"]: one.get("title") for one in frames}
    for name, register in history.registers.items():
        if not register.allows(found.get(name)):
            history.fault("lost", f"{name} was told to be {register.sure} and is {found.get(name)}")
        if is_new:
            register.sure, register.maybe = found.get(name), []
    for mark, sent in history.events.items():
        if sent.outcome == "erased" and f"{sent.visitor}@example.com" in found:
            history.fault("wrong", f"the address of {sent.visitor} was erased and is there")


def orders_of(client, history, orders):
    """Judges the orders against the fold of the stored events."""
    told = {}
    for part in client.stream("AppService/ExportApp", kinds=["EXPORT_KIND_ORDERS"]):
        told |= {one["orderId"]: one for one in part.get("orders", [])}
    for order, actions in orders.items():
        one = told.get(order, {})
        lines = sorted((line["productId"], line["quantity"]) for line in one.get("lines", []))
        if lines != [(f"p{n}", 2) for n in (1, 2, 3) if "order" in actions] or one.get("cancelled", False) != ("order_cancel" in actions):
            history.fault("wrong", f"order {order} is {one}; its events are {sorted(actions)}")
    for order in told.keys() - orders.keys():
        if not any(sent.order == order and sent.outcome == "maybe" for sent in history.events.values()):
            history.fault("wrong", f"order {order} has no events")


def counters_of(client):
    """The events that the server's process has counted, as acknowledged, stored and deduplicated."""
    text = client.send("rpc", "/metrics", None)[1].decode()
    return [sum(map(int, re.findall(rf"^aisle_events_{what}_total\b.* (\d+)$", text, re.M)))
            for what in ("acknowledged", "stored", "deduplicated")]


def judge_counters(counters, history):
    """Events of calls without an answer may have been counted, then or since."""
    told, stored, again = counters
    if told != stored + again or not history.told <= told <= history.told + history.untold:
        history.fault("wrong", f"{told} counted as acknowledged, {stored} stored, {again} deduplicated; "
                               f"callers were told {history.told}, and nothing of {history.untold}")


def working(workers, do):
    """Does something while the workers work, and answers what it answered."""
    over = threading.Event()
    threads = [threading.Thread(target=worker.run, args=(over,)) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        return do()
    finally:
        over.set()
        for thread in threads:
            thread.join()


def patiently(ask):
    """Asks again while the server is late."""
    for _ in range(20):
        try:
            return ask()
        except Unknown as error:
            late = error
            time.sleep(0.5)
    raise SystemExit(f"The server does not answer: {late}")


def check(plan, server, history):
    chance = random.Random(plan["seed"])
    server.start()
    client = Client(server)
    patiently(lambda: client.rpc("AppService/CreateApp", app={"appId": "shop"}, requestId="shop"))
    workers = [Worker(n, plan["seed"], server, history, plan["batch"], plan["only"]) for n in range(plan["workers"])]
    since, done, started = "", {}, time.monotonic()
    while sum(done.values()) < plan["rounds"] and time.monotonic() - started < plan["seconds"]:
        fault = chance.choice(plan["faults"])
        calm, moment = chance.uniform(0, plan["calm"]), chance.uniform(0.05, plan["calm"])
        working(workers, lambda: time.sleep(calm))
        judge_counters(patiently(lambda: counters_of(client)), history)
        is_new = fault in ("kill", "term")
        history.untold = 0 if is_new else history.untold  # the works of a process end with it
        why = working(workers, lambda: server.suffer(fault, moment, chance))
        server.wait()
        name = f"{fault}, {why}" if why else fault
        done[name] = done.get(name, 0) + 1
        newest, _ = patiently(lambda: events_of(client, history, since))
        patiently(lambda: values_of(client, history, is_new))
        since = newest if is_new else since  # from here on all ids are greater
        history.told = patiently(lambda: counters_of(client))[0]
        counts = ", ".join(f"{len(found)} {kind}" for kind, found in history.faults.items())
        history.note(round=sum(done.values()), fault=name, calm=calm, moment=moment)
        print(f"round {sum(done.values())}: {name} after {moment:.2f} s; {history.acknowledged():,} acknowledged, {counts}", flush=True)
        if plan["stop_at_fault"] and any(history.faults.values()):
            break
    server.term(chance)
    _, orders = patiently(lambda: events_of(client, history, ""))
    patiently(lambda: values_of(client, history, True))
    patiently(lambda: orders_of(client, history, orders))
    found = {kind: len(texts) for kind, texts in history.faults.items()}
    result = {"seed": plan["seed"], "faults": done, "acknowledged": history.acknowledged(), **found}
    history.note(result=result)
    return result


def main():
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--serve", help="the server's command; {dir}, {rest}, {rpc} and {clock} become a directory, two ports and a file")
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    options.add_argument("--faults", default="kill,term,stop,cut,full,disk,clock", help="some of these; default: %(default)s")
    options.add_argument("--rounds", type=int, default=20, help="faults at most; default: %(default)s")
    options.add_argument("--seconds", type=float, default=600, help="begins no round after; default: %(default)s")
    options.add_argument("--calm", type=float, default=1.0, help="seconds at most before a fault; default: %(default)s")
    options.add_argument("--workers", type=int, default=8)
    options.add_argument("--batch", type=int, default=0, help="events of each batch; default: 1 to 40")
    options.add_argument("--only", default=",".join(WORKS), help="some of these; default: %(default)s")
    options.add_argument("--history", help="file of all that was done; default: history.jsonl, of a replay replay.jsonl")
    options.add_argument("--stop-at-fault", action="store_true", help="ends with the first round that finds one")
    options.add_argument("--replay", help="a history; its plan is run again")
    said = options.parse_args()
    path = said.history or ("replay.jsonl" if said.replay else "history.jsonl")
    plan = {**vars(said), "faults": said.faults.split(","), "only": said.only.split(",")}
    if said.replay:
        with open(said.replay, encoding="utf-8") as file:
            plan = json.loads(file.readline())["plan"]
    if not plan["serve"]:
        options.error("--serve says which server")
    directory = tempfile.mkdtemp(prefix="checker-")
    print(f"seed {plan['seed']}, history {path}", flush=True)
    history = History(path, plan)
    server = Server(plan["serve"], directory, f"{path}.log")
    try:
        result = check(plan, server, history)
    finally:
        server.end()
    for kind, texts in history.faults.items():
        for text in texts[:20]:
            print(f"{kind}: {text}")
    print(json.dumps(result))
    if any(history.faults.values()):
        sys.exit(f"Faults were found; the data are in {directory}")
    shutil.rmtree(directory)


if __name__ == "__main__":
    main()
