"""FastMCP's proxy with a kept session, in an environment of its own. Arguments: the upstream's address, and a port.

Its environment has nothing of ours, so this file imports nothing of ours either."""

import asyncio
import sys

from fastmcp import Client  # type: ignore[import-not-found]  # it is in an environment of its own
from fastmcp.server import create_proxy  # type: ignore[import-not-found]


async def main() -> None:
    async with Client(sys.argv[1]) as client:
        # A client that is connected already is used for all requests.
        proxy = create_proxy(client)
        await proxy.run_http_async(host="127.0.0.1", port=int(sys.argv[2]), show_banner=False, log_level="error")


asyncio.run(main())
