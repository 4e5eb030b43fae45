"""Calls of grpcio as it comes; the same as main.go."""

import sys
import time

import grpc


def refused(channel, method, message, calls):
    call = channel.stream_unary(method)
    for n in range(calls):
        sends_on = n % 2 == 1

        def messages():
            yield message
            while sends_on:
                yield message

        try:
            call(messages(), timeout=20)
            print("on" if sends_on else "once", "OK")
        except grpc.RpcError as error:
            print("on" if sends_on else "once", error.code().name)


def varint(data, at):
    value = shift = 0
    while True:
        value |= (data[at] & 127) << shift
        shift += 7
        at += 1
        if data[at - 1] < 128:
            return value, at


def encoded(number):
    out = bytearray()
    while number > 127:
        out.append(number & 127 | 128)
        number >>= 7
    out.append(number)
    return bytes(out)


def watch(channel, method, request, wanted, field):
    call = channel.unary_stream(method)
    events = longest = messages = 0
    token = b""
    errors = []
    until = time.monotonic() + 120
    while events < wanted and time.monotonic() < until:
        message = request
        if token:
            message += bytes([field << 3 | 2]) + encoded(len(token)) + token
        stream = call(message, timeout=120)
        try:
            for answer in stream:
                messages += 1
                if messages == 1:
                    print("ready", flush=True)
                at = 0
                while at < len(answer):
                    tag, at = varint(answer, at)
                    length, at = varint(answer, at)
                    if tag >> 3 == 1:
                        events += 1
                    else:
                        token = answer[at : at + length]
                    at += length
                longest = max(longest, len(token))
                if events >= wanted:
                    break
        except grpc.RpcError as error:
            errors.append(error.code().name)
        stream.cancel()
    print("events", events, "longest token", longest, "messages", messages, "errors", errors)


def main():
    what, address, method, file, count, *field = sys.argv[1:]
    with open(file, "rb") as opened:
        message = opened.read()
    with grpc.insecure_channel(address) as channel:
        if what == "refused":
            refused(channel, method, message, int(count))
        else:
            watch(channel, method, message, int(count), int(field[0]))


main()
