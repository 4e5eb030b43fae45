"""Brings what schemathesis makes up to where it can be accepted: to the app there is, and to fields that hold something."""

import re

import schemathesis

APP = "demo"
REQUIRED = ("product_ids", "product_skus", "product_category_ids", "order_id", "email", "phone")
SIGNATURE = ("x-aisle-id", "x-aisle-timestamp", "x-aisle-signature")
CONTROL = re.compile("[\x00-\x1f\x7f-\x9f]")


@schemathesis.hook
def before_call(context, case, kwargs):
    if case.query and isinstance(case.query.get("app_id"), str):
        case.query["app_id"] = APP
    # They sign an event together, with a secret that only the shop has.
    for name in SIGNATURE:
        if case.headers:
            case.headers.pop(name, None)
    # The visitor of an event goes into the next call as the link says, whatever it is.
    if case.query and isinstance(case.query.get("fpcid"), str):
        case.query["fpcid"] = CONTROL.sub("x", case.query["fpcid"]) or "x"
    if isinstance(case.body, dict):
        for name in ("app_id", "appId"):
            if isinstance(case.body.get(name), (str, int)):
                case.body[name] = APP
        # Ids with control characters count as not sent.
        for name in REQUIRED:
            if isinstance(case.body.get(name), str):
                case.body[name] = CONTROL.sub("x", case.body[name])
    elif isinstance(case.body, str) and case.media_type == "text/plain":
        # A form as plain text: without these fields no text is one.
        case.body = f"app_id={APP}&action_type=other&{case.body}"
