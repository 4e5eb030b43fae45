"""A shop's server in Python: creates an app, records orders, trains, asks for recommendations, meets two errors."""

import os
from pathlib import Path
from urllib.parse import urlsplit

import grpc
from aisle.v1 import app_pb2, app_service_pb2, app_service_pb2_grpc
from aisle.v1 import event_pb2, event_service_pb2, event_service_pb2_grpc
from aisle.v1 import model_service_pb2, model_service_pb2_grpc
from aisle.v1 import recommendation_service_pb2, recommendation_service_pb2_grpc, visitor_pb2
from google.rpc import error_details_pb2
from grpc_status import rpc_status

TOKEN = os.environ.get("AISLE_TOKEN", "")
METADATA = [("authorization", f"Bearer {TOKEN}")] if TOKEN else []


def connect() -> grpc.Channel:
    """Reads the server's address from AISLE_SERVER and, for https, an own authority from AISLE_CA."""
    server = urlsplit(os.environ.get("AISLE_SERVER", "http://127.0.0.1:8081"))
    if server.scheme != "https":
        return grpc.insecure_channel(server.netloc)
    ca = os.environ.get("AISLE_CA")
    return grpc.secure_channel(server.netloc, grpc.ssl_channel_credentials(Path(ca).read_bytes() if ca else None))


def batches(app_id: str):
    """A stream of batches: of two kinds of customers, one buys a pot with its tea, the other a brush with its paint."""
    for pair in (("tea", "pot"), ("paint", "brush")):
        ids = [f"{pair[0]}-{i}" for i in range(20)]
        orders = [
            event_pb2.Event(
                action_type="order",
                visitor=visitor_pb2.VisitorIds(client_id=id),
                order=event_pb2.EventOrder(order_id=id),
                products=[event_pb2.EventProduct(product_id=product) for product in pair],
            )
            for id in ids
        ]
        yield event_service_pb2.RecordEventsRequest(app_id=app_id, events=orders, idempotency_keys=ids)


def print_refusal(error: grpc.RpcError) -> None:
    """Prints the code of what a call was refused with, and its typed details."""
    said = [error.code().name]
    info, bad = error_details_pb2.ErrorInfo(), error_details_pb2.BadRequest()
    for detail in rpc_status.from_call(error).details:
        if detail.Unpack(info):
            said.append(info.reason)
        elif detail.Unpack(bad):
            said += [f"{violation.field} {violation.reason}" for violation in bad.field_violations]
    print("refused:", *said)


with connect() as channel:
    apps = app_service_pb2_grpc.AppServiceStub(channel)
    events = event_service_pb2_grpc.EventServiceStub(channel)
    models = model_service_pb2_grpc.ModelServiceStub(channel)
    recommendations = recommendation_service_pb2_grpc.RecommendationServiceStub(channel)

    request = app_service_pb2.CreateAppRequest(app=app_pb2.App(display_name="Tea shop"))
    app_id = apps.CreateApp(request, metadata=METADATA, timeout=10).app.app_id
    print("app:", app_id)

    print("recorded:", events.RecordEvents(batches(app_id), metadata=METADATA, timeout=10).accepted)

    # A stream of answers: each stage of the training as it begins, the model at last.
    for progress in models.TrainModel(model_service_pb2.TrainModelRequest(app_id=app_id), metadata=METADATA):
        if progress.HasField("model"):
            print("trained: yes")

    request = recommendation_service_pb2.RecommendRequest(
        app_id=app_id, current_product_ids=["tea"], recommended_count=1
    )
    answer = recommendations.Recommend(request, metadata=METADATA, timeout=10)
    print("with tea:", *[product.product_id for product in answer.recommended])

    try:
        request = recommendation_service_pb2.RecommendRequest(app_id="nobody")
        recommendations.Recommend(request, metadata=METADATA, timeout=10)
    except grpc.RpcError as error:
        print_refusal(error)
    try:
        request = event_service_pb2.RecordEventRequest(app_id=app_id, event=event_pb2.Event())
        events.RecordEvent(request, metadata=METADATA, timeout=10)
    except grpc.RpcError as error:
        print_refusal(error)
