#!/usr/bin/env python3
"""Checks from outside that a server keeps what it acknowledges, whatever happens to it. README.md says how."""
import argparse
import json
import random
import re
import shutil
import sys
import tempfile
import threading
import time

from client import Client, Refused, Unknown
from faults import Server
from load import SUBSCRIBED, UNSUBSCRIBED, WORKS, History, Worker

STATES = (SUBSCRIBED, UNSUBSCRIBED)


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
    client = Client(server.direct)
    patiently(lambda: client.rpc("AppService/CreateApp", app={"appId": "shop"}, requestId="shop"))
    workers = [Worker(n, plan["seed"], server.ports, history, plan["batch"], plan["only"]) for n in range(plan["workers"])]
    since, done, started = "", {}, time.monotonic()
    while sum(done.values()) < plan["rounds"] and time.monotonic() - started < plan["seconds"]:
        fault = chance.choice(plan["faults"])
        calm, moment = chance.uniform(0, plan["calm"]), chance.uniform(0.05, plan["calm"])
        working(workers, lambda: time.sleep(calm))
        judge_counters(patiently(lambda: counters_of(client)), history)
        is_new = fault in ("kill", "term")
        history.untold = 0 if is_new else history.untold  # the works of a process end with it
        server.ports.update(server.relayed if fault == "cut" else server.direct)
        why = working(workers, lambda: server.suffer(fault, moment, chance))
        server.ports.update(server.direct)
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
