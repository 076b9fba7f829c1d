"""A small web service with an OpenAPI document, on a free port of the loopback interface; prints its address."""

import asyncio
import socket

import uvicorn
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import JSONResponse, PlainTextResponse, RedirectResponse, Response
from starlette.routing import Route


async def echo(request: Request) -> JSONResponse:
    """What arrived, as it arrived."""
    body = (await request.body()).decode()
    return JSONResponse(
        {
            "method": request.method,
            "path": request.scope["raw_path"].decode(),
            "query": request.url.query,
            "headers": dict(request.headers),
            "body": body,
        }
    )


async def pets(request: Request) -> JSONResponse:
    return JSONResponse(["ada", "bo"])


async def missing(request: Request) -> JSONResponse:
    return JSONResponse({"detail": "no such pet", "id": 7}, 404)


async def broken(request: Request) -> PlainTextResponse:
    return PlainTextResponse("out of order", 503)


async def large(request: Request) -> PlainTextResponse:
    return PlainTextResponse("x" * int(request.query_params["size"]))


async def picture(request: Request) -> Response:
    return Response(b"\x89PNG", media_type="image/png")


async def spelled(request: Request) -> Response:
    return Response("grün".encode(), headers={"content-type": "application/json; charset=martian"})


async def deep(request: Request) -> Response:
    levels = int(request.query_params["size"])
    return Response("[" * levels + "]" * levels, media_type="application/json")


async def slow(request: Request) -> PlainTextResponse:
    await asyncio.sleep(30)
    return PlainTextResponse("late")


async def away(request: Request) -> RedirectResponse:
    return RedirectResponse("http://127.0.0.2:1/elsewhere")


async def document(request: Request) -> JSONResponse:
    listed = {"get": {"operationId": "listPets", "summary": "Lists the pets."}}
    return JSONResponse({"openapi": "3.1.0", "servers": [{"url": "/api"}], "paths": {"/pets": listed}})


app = Starlette(
    routes=[
        Route("/openapi.json", document),
        Route("/api/pets", pets),
        Route("/api/missing", missing),
        Route("/api/broken", broken),
        Route("/api/large", large),
        Route("/api/picture", picture),
        Route("/api/spelled", spelled),
        Route("/api/deep", deep),
        Route("/api/slow", slow),
        Route("/api/away", away),
        Route("/api/{rest:path}", echo, methods=["GET", "POST", "PUT", "DELETE", "PATCH"]),
    ]
)


def main() -> None:
    listener = socket.create_server(("127.0.0.1", 0))
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    uvicorn.Server(uvicorn.Config(app, log_level="error", timeout_graceful_shutdown=1)).run([listener])


if __name__ == "__main__":
    main()
