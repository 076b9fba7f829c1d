"""Where a server listens: that of this store, or the one that a person names."""

from urllib.parse import urlsplit

from longtable.kernel.errors import ConfigError, InvalidArgument
from longtable.server.running_servers import running_servers
from longtable.settings.load import Loaded
from longtable.settings.options import Settings


def found_address(loaded: Loaded) -> str:
    """That of the port which was named; else of the server that runs on the data folder; else of the default port."""
    settings = loaded.settings
    if settings.http_port == 0 or loaded.sources["http_port"] == "default":
        running = running_servers(settings.data_dir)
        if running:
            return running[0].address
    return server_address(settings)


def server_address(settings: Settings) -> str:
    if settings.http_port == 0:
        raise ConfigError(
            "http_port: 0 is any free port, so it does not tell where the server listens.",
            hint="Name the port that the server took with --http-port.",
            option="http_port",
        )
    host = settings.http_host.strip("[]")
    return f"http://[{host}]:{settings.http_port}" if ":" in host else f"http://{host}:{settings.http_port}"


def check_server_url(field: str, url: str) -> str:
    """Raises InvalidArgument for what leads to no server."""
    if not url.startswith(("http://", "https://")):
        raise InvalidArgument.at(field, "must begin with http:// or https://")
    try:
        parts = urlsplit(url)
        is_usable = bool(parts.hostname) and parts.port != 0 and url.isprintable() and " " not in url
    except ValueError:
        is_usable = False
    if not is_usable:
        raise InvalidArgument.at(field, "must be an address such as http://127.0.0.1:8765")
    return url
