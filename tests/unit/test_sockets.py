"""What a connection inherits from the socket that a server listens on."""

import socket
from pathlib import Path

from longtable.server.sockets import close_sockets, open_sockets
from longtable.settings.load import load


def test_a_connection_sends_the_body_of_an_answer_without_waiting_for_the_client(tmp_path: Path) -> None:
    settings = load({"data_dir": str(tmp_path), "http_port": "0"}, {}).settings
    sockets = open_sockets(settings)
    try:
        with socket.create_connection(sockets[0].getsockname()), sockets[0].accept()[0] as accepted:
            sends_at_once = accepted.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
    finally:
        close_sockets(sockets, settings)

    assert sends_at_once
