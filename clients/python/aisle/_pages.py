from collections.abc import Callable, Iterator
from typing import Any

from google.protobuf.descriptor import FieldDescriptor


def pages(list_call: Callable[..., Any], request: Any, **options: Any) -> Iterator[Any]:
    """The items of a list, page by page as they are consumed: `for event in pages(client.events.list_events, request)`."""
    following = type(request)()
    following.CopyFrom(request)
    while True:
        page = list_call(following, **options)
        yield from getattr(page, _items_field(page))
        # Some lists give a token at their end too, for what comes later: the one that was sent.
        if page.next_page_token in ("", following.page_token):
            return
        following.page_token = page.next_page_token


def _items_field(page: Any) -> str:
    lists = [
        field.name for field in page.DESCRIPTOR.fields if field.is_repeated and field.type == FieldDescriptor.TYPE_MESSAGE
    ]
    (name,) = lists
    return name
