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
import tempfile
import threading
import time
from collections import defaultdict, deque
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from pathlib import Path
from urllib.parse import urlencode

SUBSCRIBED, UNSUBSCRIBED = "SUBSCRIPTION_STATE_SUBSCRIBED", "SUBSCRIPTION_STATE_UNSUBSCRIBED"
STATES = {True: SUBSCRIBED, False: UNSUBSCRIBED, None: None}  # by the status that REST answers
WORKS = dict(view=9, batch=3, repeat=3, reuse=2, blank=1, order=3, subscribe=4, contacts=1, product=3, frame=1, read=6, erase=1)
APPS = ("shop", "other")
RECOMMENDATION = {"version", "trackerProduct", "recommended", "alternative"}
CARD = {"productId", "title", "imageUrl", "url", "price", "categoryId"}
LIFE_S = 60  # after a fault, until the server must be alive again
LAST, FLOOR = 100, 20  # alive: all but one of the last requests are answered, and so many events of each app acknowledged


class Refused(Exception):
    """The server has answered that it did nothing."""


class Unknown(Exception):
    """No answer came, or one after which both may be true."""


class Client:
    """The connections of one thread to a server's ports of "rest" and "rpc", for the calls of an app."""
    def __init__(self, server, app):
        self.server, self.app, self.open = server, app, {}

    def send(self, side, path, body, **headers):
        life, is_answered = self.server.life, False
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
            is_answered = answer.status in (200, 422)  # 422: a key with another body
        except (OSError, http.client.HTTPException) as error:
            raise Unknown(type(error).__name__) from error
        finally:
            life.answers.append(is_answered)
        self.open[side] = connection
        if answer.status != 200:
            maybe = answer.status in (408, 429) or answer.status >= 500
            raise (Unknown if maybe else Refused)(f"{answer.status} {text[:200]!r}")
        return answer.headers, text

    def rest(self, path, form=None, key=None):
        return self.send("rest", path, form and urlencode(form), content_type="application/x-www-form-urlencoded", idempotency_key=key)

    def rpc(self, method, **request):
        body = json.dumps(request if "app" in request else {"appId": self.app, **request})
        return json.loads(self.send("rpc", f"/aisle.v1.{method}", body, content_type="application/json")[1])

    def stream(self, method, **request):
        """The messages that answer a request of a streaming method."""
        body = json.dumps({"appId": self.app, **request}).encode()
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
        token = None
        while token != "":
            page = self.rpc(method, pageSize=1000, pageToken=token or "", **request)
            yield from page.get(field, [])
            token = page.get("nextPageToken", "")

    def status(self, visitor):
        return STATES[json.loads(self.rest(f"/subscription_status?app_id={self.app}&fpcid={visitor}&force=true")[1])["status"]]

    def recommend(self, product):
        """What a new visitor is shown beside a product."""
        asked = {"appId": self.app, "fpCcid": "nobody", "currentProductIds": product, "productInteractions": [], "recommendFrameInteractions": []}
        return json.loads(self.send("rest", "/recommend", json.dumps(asked), content_type="application/json")[1])


class Life:
    """The requests since the last fault, by whether they were answered, and an entry with the app of each acknowledged event."""
    def __init__(self):
        self.since, self.answers, self.acknowledged = time.monotonic(), [], []

    def comes_back(self, fault, history):
        """Waits until nearly all requests are answered and each app has acknowledged enough. From LIFE_S on, one may fail."""
        late = None  # requests that ended before that time; a slow machine may take longer for the others
        while late is None or (self.answers[late:].count(False) < 2 and len(self.answers) < late + 10 * LAST):
            answered, told = self.answers[-LAST:].count(True), {app: self.acknowledged.count(app) for app in APPS}
            if answered >= LAST - 1 and min(told.values()) >= FLOOR:
                return
            late = len(self.answers) if late is None and time.monotonic() > self.since + LIFE_S else late
            time.sleep(0.02)
        history.fault("dead", f"{LIFE_S} s after {fault} {answered} of {len(self.answers[-LAST:])} requests are answered, events are told: {told}")


class Sent:
    """An event: `outcome` is unknown, acknowledged, refused, erased or maybe (an erasure may have begun)."""
    def __init__(self, app, event, outcome="unknown"):
        self.app, self.outcome, self.event_id, self.order = app, outcome, None, event.get("order", {}).get("orderId")
        self.visitor, self.product = event["visitor"]["fingerprintId"], [one["productId"] for one in event["products"][:1]]


class Register:
    """A value of one writer. While a write has no answer both values are right, until a restart decides."""
    def __init__(self):
        self.sure, self.maybe = None, []
        self.since_copy = [None]  # the values that a copy of the store may have

    def allows(self, value):
        return value == self.sure or value in self.maybe


class History:
    """All that was done, in memory and as lines of JSON in a file."""
    def __init__(self, path, plan):
        self.file, self.lock = open(path, "w", encoding="utf-8"), threading.Lock()
        self.events, self.registers, self.faults = {}, defaultdict(Register), {"lost": [], "doubled": [], "wrong": [], "dead": []}
        self.at_copy = {}  # outcomes when the last copy of the store began
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

    def counts(self):
        acknowledged = sum(sent.outcome == "acknowledged" for sent in self.events.values())
        return {"acknowledged": acknowledged, **{kind: len(texts) for kind, texts in self.faults.items()}}

    def copy_begins(self):
        self.at_copy = {mark: sent.outcome for mark, sent in list(self.events.items())}
        for register in list(self.registers.values()):
            register.since_copy = [register.sure, *register.maybe]

    def goes_back(self):
        """The server now has a copy. Whatever was acknowledged after the copy began may be in it or not."""
        for mark, sent in self.events.items():
            if sent.outcome != self.at_copy.get(mark) and sent.outcome in ("acknowledged", "erased"):
                sent.outcome, sent.event_id = "unknown" if sent.outcome == "acknowledged" else "maybe", None
        for register in self.registers.values():
            register.sure, *register.maybe = register.since_copy


def marks_of(events):
    return [event["extraFields"]["mark"] for event in events]


class Worker:
    """A caller of one app. Its neighbour calls the other app with the same names of visitors, orders, products and keys."""
    def __init__(self, number, plan, server, history):
        self.app, self.number, self.history, self.batch_size = APPS[number % 2], number // 2, history, plan["batch"]
        self.client, self.reader = Client(server, self.app), Client(server, self.app)  # of several processes, reads may meet another one
        self.server, self.random = server, random.Random(f"{plan['seed']}/{number}")
        self.count, self.again, self.told, self.newest = 0, [], deque(maxlen=200), {}
        self.works = ["view"] + [work for work in plan["only"] for _ in range(WORKS[work])]

    def run(self, over):
        while not over.is_set():
            if self.again:  # events with keys that had no answer: sent again, they are stored once
                self.record(self.again.pop(), True)
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
        except (Unknown, Refused) as error:
            answer, outcome = None if isinstance(error, Unknown) else False, f"{type(error).__name__}: {error}"
        self.history.note(app=self.app, worker=self.number, outcome=outcome, **said)
        time.sleep(0.02 if answer is None else 0)
        return answer

    def event(self, action, visitor, products=("p1", "p2", "p3"), **more):
        mark = f"{self.app} {self.next()}"
        return {"actionType": action, "visitor": {"fingerprintId": visitor}, "extraFields": {"mark": mark}, **more,
                "products": [{"productId": product, "quantity": 2} for product in products]}

    def send(self, events, keyed):
        """Sends a view by REST, and all else by RPC, under the keys of the events `keyed`. The other app uses the same keys."""
        [event, *more], keys = events, [mark.split()[1] for mark in marks_of(keyed)]
        if more or event["actionType"] != "product_view" or not event["products"]:
            return self.client.rpc("EventService/BatchRecordEvents", events=events, idempotencyKeys=keys)
        form = {"app_id": self.app, "action_type": "product_view", "product_ids": event["products"][0]["productId"],
                "mark": event["extraFields"]["mark"], "fp_ccid": event["visitor"]["fingerprintId"]}
        return {"recorded": [{"eventId": self.client.rest("/trace", form, *keys)[0]["x-service-event-id"]}]}

    def record(self, events, keyed=False, is_sound=True):
        """Sends events, all of them sound or none. True when all are acknowledged; otherwise as `attempt`."""
        marks, life = marks_of(events), self.server.life
        for mark, event in zip(marks, events):
            self.history.events.setdefault(mark, Sent(self.app, event))
        answer = self.attempt(lambda: self.send(events, events if keyed else []), marks=marks, keyed=keyed)
        recorded = (answer or {}).get("recorded", [])
        with self.history.lock:
            self.history.told += len(recorded)
            self.history.untold += len(events) if answer is None else 0
        life.acknowledged += [self.app] * len(recorded)
        for one in recorded:
            mark = marks[one.get("index", 0)]
            sent = self.history.events[mark]
            if sent.event_id not in (None, one["eventId"]):
                self.history.fault("doubled", f"event {mark} is acknowledged as {sent.event_id} and {one['eventId']}")
            sent.outcome, sent.event_id = "acknowledged", one["eventId"]
        refused = (answer or {}).get("refused", []) + [{"index": n} for n in range(len(marks)) if answer is False]
        for one in refused:
            self.history.events[marks[one.get("index", 0)]].outcome = "refused"
        if refused if is_sound else recorded:
            self.history.fault("wrong", f"of the events {marks}, {'' if is_sound else 'not '}sound, {answer} is told")
        if answer is None and keyed:
            self.again.append(events)
        elif keyed and len(recorded) == len(marks):
            self.told.append(events)
        if recorded and self.random.random() < 0.2:
            self.sees(lambda: self.reader.rpc("EventService/GetEvent", eventId=sent.event_id))
        return answer and len(recorded) == len(marks)

    def told_before(self):
        """Events that were acknowledged under keys, in a list, or none."""
        found = [self.random.choice(self.told)] if self.told else []
        return [events for events in found if all(self.history.events[mark].outcome == "acknowledged" for mark in marks_of(events))]

    def repeat(self):
        """Sends them again: they have the same ids, and are not stored again."""
        for events in self.told_before():
            self.record(events, True)

    def reuse(self):
        """Sends other bodies under their keys: these are refused, and not stored."""
        for events in self.told_before():
            others = [{**event, "extraFields": {"mark": f"{self.app} {self.next()}"}} for event in events]
            for mark, other in zip(marks_of(others), others):
                self.history.events[mark] = Sent(self.app, other, "refused")
            answer = self.attempt(lambda: self.send(others, events), marks=marks_of(others), reused=marks_of(events))
            if answer and answer.get("recorded"):
                self.history.fault("wrong", f"other bodies under the keys of {marks_of(events)} are acknowledged: {answer['recorded']}")

    def sees(self, read):
        try:
            return read()
        except (Refused, Unknown) as error:
            if isinstance(error, Refused):
                self.history.fault("wrong", f"worker {self.number} reads what it was told is there: {error}")

    def view(self):
        self.record([self.event("product_view", self.visitor(), ["p1"])], self.random.random() < 0.5)

    def batch(self):
        events = [self.event("add_to_cart", self.visitor()) for _ in range(self.batch_size or self.random.randint(1, 40))]
        self.record(events, self.random.random() < 0.5)

    def blank(self):
        """An event without a type or product: it is refused."""
        self.record([self.event(self.random.choice(["", "product_view"]), self.visitor(), [])], is_sound=False)

    def order(self):
        """The order, maybe told again, maybe cancelled."""
        visitor, order = self.visitor(), {"orderId": f"o{self.next()}"}
        for action in ["order", "order", "order_cancel"][: self.random.randint(1, 3)]:
            self.record([self.event(action, visitor, order=order)], True)

    def write(self, values, call, event=None):
        """Writes by a call, or by an event."""
        registers = [(self.history.registers[self.app, name], value) for name, value in values.items()]
        for register, value in registers:
            register.maybe.append(value)
            register.since_copy.append(value)
        answer = self.record([event]) if event else self.attempt(call, values=values)
        if answer is False:
            self.history.fault("wrong", f"of {self.app} {values} are refused")
        for register, value in registers if answer is not None else ():
            register.maybe.remove(value)
            register.sure = value if answer else register.sure

    def subscribe(self):
        """Yes and no in turn, by an event or a call."""
        visitor = self.visitor()
        email = f"{visitor}@example.com"
        state = UNSUBSCRIBED if self.history.registers[self.app, email].sure == SUBSCRIBED else SUBSCRIBED
        event = self.event("subscribe", visitor, [], contact={"email": email, "emailSubscribed": state == SUBSCRIBED})
        call = lambda: self.client.rpc("SubscriptionService/SetSubscription", email=email, emailState=state, visitor=event["visitor"])
        self.write({email: state}, call, event if self.random.random() < 0.5 else None)

    def contacts(self):
        contacts = [{"email": f"i{self.next()}@example.com", "emailState": SUBSCRIBED} for _ in range(5)]
        call = lambda: self.client.stream("SubscriptionService/ImportContacts", contacts=contacts)
        self.write({one["email"]: SUBSCRIBED for one in contacts}, call)

    def product(self):
        values = {f"q{self.number}-{n}": f"{self.app} {self.next()}" for n in range(self.random.randint(1, 2))}
        products = [{"productId": product, "title": title} for product, title in values.items()]
        one = lambda: self.client.rpc("CatalogService/UpdateProduct", product=products[0])
        some = lambda: self.client.stream("CatalogService/UpsertProducts", products=products)
        self.write(values, one if len(values) == 1 and self.history.registers[self.app, products[0]["productId"]].sure else some)

    def frame(self):
        frame = {"frameId": f"f{self.number}", "title": f"{self.app} {self.next()}"}
        self.write({frame["frameId"]: frame["title"]}, lambda: self.client.rpc("AppService/SetFrameConfiguration", frameConfiguration=frame))

    def erase(self):
        """A visitor comes, says who they are, orders, and has all of it erased."""
        visitor = f"x{self.next()}"
        events = [self.event("product_view", visitor), self.event("subscribe", visitor, contact={"email": f"{visitor}@example.com"})]
        events.append(self.event("order", visitor, order={"orderId": f"o{visitor}"}))
        person = {"visitor": {"fingerprintId": visitor}, "includeLinkedContact": True}
        erasing = lambda: self.client.rpc("PrivacyService/EraseVisitor", person=person)
        answer = self.record(events) and self.attempt(erasing, erased=visitor)
        while answer and answer["operation"]["state"] == "OPERATION_STATE_RUNNING":
            answer = self.attempt(lambda: self.client.rpc("OperationService/WaitOperation", operationId=answer["operation"]["operationId"]))
        is_done = answer and answer["operation"]["state"] == "OPERATION_STATE_SUCCEEDED"
        for mark in marks_of(events):
            self.history.events[mark].outcome = "erased" if is_done else "maybe"

    def read(self):
        """Nothing is older than what this worker was told, or has read before."""
        visitor, product = self.visitor(), f"q{self.number}-0"
        for name, read in {
            f"{visitor}@example.com": lambda: self.reader.status(visitor),
            product: lambda: self.reader.rpc("CatalogService/GetProduct", productId=product)["product"]["title"],
        }.items():
            register = self.history.registers[self.app, name]
            value = self.sees(lambda: [read()]) if register.sure else None
            if value and not register.allows(value[0]):
                self.history.fault("wrong", f"{name} of {self.app} is read as {value[0]}, not as {register.sure}")
        self.sees(lambda: self.reader.recommend(product))
        asked = {"visitor": {"fingerprintId": visitor}, "newestFirst": True, "pageSize": 1}
        for event in (self.sees(lambda: self.reader.rpc("EventService/ListEvents", **asked)) or {}).get("events", []):
            if event["eventId"] < self.newest.get(visitor, ""):
                self.history.fault("wrong", f"{visitor} reads {event['eventId']} after {self.newest[visitor]}")
            self.newest[visitor] = event["eventId"]


class Server:
    """The server under test, and what is done to it. A fault that is not possible here answers why."""
    def __init__(self, plan, base, history, log):
        self.command, self.backup, self.base, self.history, self.log = plan["serve"], plan["backup"], base, history, log
        self.life, self.process, self.is_cut, self.directory = Life(), None, False, tempfile.mkdtemp(dir=base)
        self.ports = {}  # not of those that the system gives to connections: while the server is down, these stay free
        while len(self.ports) < 2:
            with suppress(OSError), socket.create_server(("127.0.0.1", random.randrange(20_000, 30_000))) as found:
                self.ports["rpc" if self.ports else "rest"] = found.getsockname()[1]
        with open(log, "ab") as file:  # by a pipe, since `full` limits files
            self.output = subprocess.Popen(["cat"], stdin=subprocess.PIPE, stdout=file, start_new_session=True).stdin
        self.clock_file = f"{base}/clock"
        Path(self.clock_file).write_text("0", encoding="utf-8")

    def start(self):
        self.life = Life()
        words = shlex.split(self.command.format(dir=self.directory, clock=self.clock_file, **self.ports))
        self.process = subprocess.Popen(words, start_new_session=True, stdout=self.output, stderr=subprocess.STDOUT)
        until = time.monotonic() + 120
        while time.monotonic() < until and self.process.poll() is None:
            with suppress(Refused, Unknown):
                return Client(self, "").send("rest", "/readyz", None)
            time.sleep(0.05)
        raise SystemExit(f"The server is not ready; its last words are in {self.log}")

    def end(self):
        if self.process and self.process.poll() is None:
            os.killpg(self.process.pid, signal.SIGKILL)
            self.process.wait()

    def pids(self):
        return [int(pid) for pid in os.listdir("/proc") if pid.isdigit() and os.getsid(int(pid)) == self.process.pid]

    def kill(self, random):
        self.end()
        self.start()

    def term(self, random):
        self.process.terminate()
        code = self.process.wait(90)
        if code:
            self.history.fault("wrong", f"SIGTERM ended the server with {code}")
        self.start()

    def stop(self, random, least=0.2, most=2):
        os.killpg(self.process.pid, signal.SIGSTOP)
        time.sleep(random.uniform(least, most))
        os.killpg(self.process.pid, signal.SIGCONT)

    def stall(self, random):
        self.stop(random, 31, 36)  # longer than any limit on the time of a write

    def cut(self, random):
        self.is_cut = True  # requests arrive, and their connections break before the answers
        time.sleep(random.uniform(0.05, 0.5))
        self.is_cut = False

    def restore(self, random):
        """Makes a backup under load. `go_back` starts the server on it, when the callers have stopped."""
        if not self.backup:
            return "not done: no --backup"
        self.copy = tempfile.mkdtemp(dir=self.base)
        self.history.copy_begins()
        words = shlex.split(self.backup.format(dir=self.directory, copy=self.copy))
        if subprocess.call(words, stdout=self.output, stderr=subprocess.STDOUT):
            self.history.fault("wrong", "the backup failed")
            return "failed"
        return time.sleep(random.uniform(0, 1))  # for events that are not in the copy

    def go_back(self):
        self.end()
        shutil.rmtree(self.directory)
        self.directory = self.copy
        self.history.goes_back()
        self.start()

    def full(self, random):
        if "{dir}" not in self.command:
            return "not done: no {dir} in --serve"
        sizes = [os.path.getsize(os.path.join(self.directory, name)) for name in os.listdir(self.directory)]
        for size in (max(sizes), resource.RLIM_INFINITY):  # no file can grow
            for pid in self.pids():
                resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, resource.RLIM_INFINITY))
            time.sleep(random.uniform(0.5, 1.5))

    def disk(self, random):
        if not shutil.which("strace"):
            return "not done: no strace"
        calls = random.choice(["fdatasync,fsync,msync", "pwrite64,pwritev"])
        pids = [word for pid in self.pids() for word in ("-p", str(pid))]
        options = ["-f", "-qq", "-o", "/dev/null", "-e", f"trace={calls}", "-e", f"inject={calls}:error=EIO:when=1"]
        tracer = subprocess.Popen(["strace", *options, *pids], stderr=subprocess.DEVNULL)
        time.sleep(random.uniform(1, 3))
        tracer.terminate()
        return None if tracer.wait() in (0, -15, 143) else "not done: strace may not trace"

    def clock(self, random):
        if "{clock}" not in self.command:
            return "not done: no {clock} in --serve"
        for ms in (random.choice([-90_000_000, 90_000_000]), 0):  # 25 hours
            Path(self.clock_file).write_text(str(ms), encoding="utf-8")
            time.sleep(random.uniform(0.5, 2))


def events_of(client, history, since):
    """Judges an app's stored events whose ids are greater than `since`. Answers the greatest id."""
    stored, orders, greatest = {}, {}, since
    for event in client.pages("EventService/ListEvents", "events", newestFirst=True):
        event_id, mark = event["eventId"], event.get("extraFields", {}).get("mark")
        if event_id <= since:
            break
        greatest = max(greatest, event_id)
        sent = history.events.get(mark)
        visitor, products = event.get("visitor", {}).get("fingerprintId"), [one["productId"] for one in event.get("products", [])[:1]]
        if mark in stored:
            history.fault("doubled", f"event {mark} is stored as {stored[mark]} and {event_id}")
        elif sent is None or sent.outcome in ("refused", "erased"):
            history.fault("wrong", f"event {mark} is stored and {'was never sent' if sent is None else sent.outcome}")
        elif (client.app, visitor, products) != (sent.app, sent.visitor, sent.product):
            history.fault("wrong", f"event {mark} is not stored as it was sent: {client.app}, {event}")
        elif sent.event_id not in (None, event_id):
            history.fault("wrong", f"event {mark} was acknowledged as {sent.event_id} and is stored as {event_id}")
        stored[mark] = event_id
        if sent and sent.order and sent.outcome != "maybe":
            orders.setdefault(sent.order, set()).add(event["actionType"])
    for mark, sent in history.events.items():
        if sent.app == client.app and sent.outcome == "acknowledged" and sent.event_id > since and mark not in stored:
            history.fault("lost", f"event {mark}, acknowledged as {sent.event_id}")
    return greatest, orders


def values_of(client, history, is_new):
    """Judges contacts, products and frames against what their writers were told, and contacts against ledger and status."""
    values = {one["contactId"]: one for one in client.pages("SubscriptionService/ListContacts", "contacts")}
    folded = {}
    for change in client.pages("SubscriptionService/ListChanges", "changes"):
        if not change.get("erased") and change["channel"] == "SUBSCRIPTION_CHANNEL_EMAIL":
            before = folded.get(change["contactId"], "SUBSCRIPTION_STATE_UNKNOWN")
            if change["oldState"] != before:
                history.fault("wrong", f"change {change['changeId']} follows {change['oldState']}, not {before}")
            folded[change["contactId"]] = change["newState"]
    for contact_id, contact in values.items():
        if contact["emailState"] in (SUBSCRIBED, UNSUBSCRIBED) and folded.get(contact_id) != contact["emailState"]:
            history.fault("wrong", f"{contact['email']} is {contact['emailState']}; its changes say {folded.get(contact_id)}")
    for part in client.stream("SubscriptionService/VerifyLedger"):
        if part.get("faultTotal"):
            history.fault("wrong", f"the ledger has faults: {part['faults']}")
    found = {one["email"]: one["emailState"] for one in values.values()}
    found |= {one["productId"]: one.get("title") for one in client.pages("CatalogService/ListProducts", "products")}
    found |= {one["frameId"]: one.get("title") for one in client.pages("AppService/ListFrameConfigurations", "frameConfigurations")}
    for name, register in [(name, register) for (app, name), register in history.registers.items() if app == client.app]:
        if not register.allows(found.get(name)):
            history.fault("lost", f"{name} of {client.app} was told to be {register.sure} and is {found.get(name)}")
        if is_new:
            register.sure, register.maybe = found.get(name), []
        visitor = re.fullmatch(r"(v.*)@.*", name)
        state = client.status(visitor[1]) if visitor else None
        if visitor and state != found.get(name):
            history.fault("wrong", f"{visitor[1]} of {client.app} reads the status {state}; its contact is {found.get(name)}")
    for mark, sent in history.events.items():
        if sent.app == client.app and sent.outcome == "erased" and f"{sent.visitor}@example.com" in found:
            history.fault("wrong", f"the address of {sent.visitor} was erased and is there")


def recommendation_of(client, history, product):
    """Judges what is recommended beside a product: something, nothing twice, in the documented shape, and titled as was told."""
    answer = client.recommend(product)
    cards = [answer.get("trackerProduct") or {}, *answer.get("recommended", []), *answer.get("alternative", [])]
    ids = [card.get("productId") for card in cards]
    is_shaped = set(answer) == RECOMMENDATION and answer["version"] and all(set(card) == CARD for card in cards)
    is_known = all(history.registers[client.app, card.get("productId")].allows(card.get("title")) for card in cards)
    if not (is_shaped and is_known and ids[0] == product and 1 < len(ids) == len(set(ids))):
        raise Unknown(f"beside {product} {client.app} recommends {answer}")  # asked again, as catalogues may be late by seconds


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
        if not any(sent.app == client.app and sent.order == order and sent.outcome == "maybe" for sent in history.events.values()):
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
        history.fault("wrong", f"{told} counted as acknowledged ({stored} + {again}), callers were told {history.told}, of {history.untold} nothing")


def working(workers, do):
    """Does something while the workers work, and answers what it answered."""
    over = threading.Event()
    with ThreadPoolExecutor(len(workers)) as pool:
        running = pool.map(lambda worker: worker.run(over), workers)
        try:
            return do()
        finally:
            over.set()
            list(running)  # raises what ended a worker


def patiently(ask, *said, **more):
    """Asks again while the server is late, or its answer may be too old."""
    until = time.monotonic() + LIFE_S
    while True:
        try:
            return ask(*said, **more)
        except (Refused, Unknown) as error:
            if time.monotonic() > until:
                raise SystemExit(f"dead: asked for {LIFE_S} s, the server does not answer as it should: {error}") from error
            time.sleep(0.5)


def suffer(fault, plan, server, history, workers, chance):
    """One fault under load, then load until the server is alive again. Answers the fault's name, and why it was not done."""
    def do():
        time.sleep(chance.uniform(0.05, plan["calm"]))
        return getattr(server, fault)(chance)
    life = server.life
    for worker in workers if fault == "clock" else ():
        worker.told = deque(maxlen=0)  # a key holds for 24 hours only
    why = working(workers, do)
    if fault == "restore" and not why:
        server.go_back()
    server.life = Life() if server.life is life else server.life  # that of a new process began with it
    for worker in workers:
        worker.newest = {} if fault == "restore" else worker.newest
        worker.told, worker.again = (deque(maxlen=200), []) if fault == "clock" else (worker.told, worker.again)
    working(workers, lambda: server.life.comes_back(fault, history))
    return f"{fault}, {why}" if why else fault


def check(plan, server, history):
    chance = random.Random(plan["seed"])
    server.start()
    clients = [Client(server, app) for app in APPS]
    for client in clients:  # apps with a catalogue, so that there is always something to recommend
        patiently(client.rpc, "AppService/CreateApp", app={"appId": client.app}, requestId=client.app)
        products = [{"productId": f"c{n}", "title": f"{client.app} c{n}"} for n in range(3)]
        patiently(client.stream, "CatalogService/UpsertProducts", products=products)
        for product in products:
            history.registers[client.app, product["productId"]].sure = product["title"]
    workers = [Worker(n, plan, server, history) for n in range(plan["workers"])]
    since, done, started = dict.fromkeys(APPS, ""), {}, time.monotonic()
    while sum(done.values()) < plan["rounds"] and time.monotonic() - started < plan["seconds"]:
        fault, calm = chance.choice(plan["faults"]), chance.uniform(0, plan["calm"])
        working(workers, lambda: time.sleep(calm))
        judge_counters(patiently(counters_of, clients[0]), history)
        is_new = fault in ("kill", "term", "restore")
        history.untold = 0 if is_new else history.untold  # the works of a process end with it
        name = suffer(fault, plan, server, history, workers, chance)
        done[name] = done.get(name, 0) + 1
        for client in clients:
            newest, _ = patiently(events_of, client, history, "" if fault == "restore" else since[client.app])
            patiently(values_of, client, history, is_new)
            patiently(recommendation_of, client, history, f"c{chance.randrange(3)}")
            since[client.app] = newest if is_new else since[client.app]  # from here on all ids are greater
        history.told = patiently(counters_of, clients[0])[0]
        counts = ", ".join(f"{number:,} {kind}" for kind, number in history.counts().items())
        print(f"round {sum(done.values())}: {name}; {counts}", flush=True)
        if history.faults["dead"] or (plan["stop_at_fault"] and any(history.faults.values())):
            break
    server.term(chance)
    for client in clients:
        _, orders = patiently(events_of, client, history, "")
        patiently(values_of, client, history, True)
        patiently(orders_of, client, history, orders)
    result = {"seed": plan["seed"], "faults": done, **history.counts()}
    history.note(result=result)
    return result


def main():
    options = argparse.ArgumentParser(description=__doc__)
    which = options.add_mutually_exclusive_group(required=True)
    which.add_argument("--serve", help="the server's command; {dir}, {rest}, {rpc} and {clock} become a directory, two ports and a file")
    which.add_argument("--replay", help="a history; its plan is run again")
    options.add_argument("--backup", help="a command that copies the store of the running server from {dir} to {copy}")
    options.add_argument("--seed", type=int, default=random.SystemRandom().randrange(10**9))
    options.add_argument("--faults", default="kill,term,stop,stall,cut,full,disk,clock,restore", help="some of these; default: %(default)s")
    options.add_argument("--rounds", type=int, default=20, help="faults at most; default: %(default)s")
    options.add_argument("--seconds", type=float, default=600, help="begins no round after; default: %(default)s")
    options.add_argument("--calm", type=float, default=1.0, help="seconds at most before a fault; default: %(default)s")
    options.add_argument("--workers", type=int, default=8)
    options.add_argument("--batch", type=int, default=0, help="events of each batch; default: 1 to 40")
    options.add_argument("--only", default=",".join(WORKS), help="some of these, and view; default: %(default)s")
    options.add_argument("--history", help="file of all that was done; default: history.jsonl, of a replay replay.jsonl")
    options.add_argument("--stop-at-fault", action="store_true", help="ends with the first round that finds one")
    said = options.parse_args()
    path = said.history or ("replay.jsonl" if said.replay else "history.jsonl")
    plan = {**vars(said), "faults": said.faults.split(","), "only": said.only.split(",")}
    if said.replay:
        plan = json.loads(Path(said.replay).read_text(encoding="utf-8").split("\n", 1)[0])["plan"]
    directory = tempfile.mkdtemp(prefix="checker-")
    print(f"seed {plan['seed']}, history {path}", flush=True)
    history = History(path, plan)
    server = Server(plan, directory, history, f"{path}.log")
    try:
        result = check(plan, server, history)
    finally:
        server.end()
    for kind, texts in history.faults.items():
        for text in texts[:20]:
            print(f"{kind}: {text}")
    print(json.dumps(result))
    if any(history.faults.values()):
        raise SystemExit(f"Faults were found; the data are in {directory}")
    shutil.rmtree(directory)


if __name__ == "__main__":
    main()
