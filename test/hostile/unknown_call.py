"""Calls a method that the server does not have, as grpcio does it, and prints what it is told."""

import sys

import grpc

address, method = sys.argv[1:]
with grpc.insecure_channel(address) as channel:
    call = channel.unary_unary(method, request_serializer=bytes, response_deserializer=bytes)
    try:
        call(b"", timeout=20)
        print("OK")
    except grpc.RpcError as error:
        print(error.code().name, error.details())
