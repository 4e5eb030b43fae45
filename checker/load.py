"""What callers of a shop do, each thing by a seeded choice, and what they were told. A worker does one thing at a time."""
import json
import random
import threading
import time

from client import Client, Refused, Unknown

SUBSCRIBED, UNSUBSCRIBED = "SUBSCRIPTION_STATE_SUBSCRIBED", "SUBSCRIPTION_STATE_UNSUBSCRIBED"
WORKS = {"view": 9, "batch": 3, "blank": 1, "order": 3, "subscribe": 4, "contacts": 1, "product": 3, "frame": 1, "read": 6, "erase": 1}


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
    def __init__(self, number, seed, ports, history, batch, only):
        self.number, self.history, self.batch_size = number, history, batch
        self.client, self.reader = Client(ports), Client(ports)  # of several processes, reads may meet another one
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
