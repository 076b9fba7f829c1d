"""Network addresses that an upstream may not have: metadata services, private and reserved networks."""

import ipaddress
import re
from ipaddress import IPv4Address, IPv4Network, IPv6Address, IPv6Network

Address = IPv4Address | IPv6Address

_METADATA = frozenset(
    ipaddress.ip_address(text)
    for text in (
        "169.254.169.254",
        "169.254.170.2",
        "169.254.170.23",
        "100.100.100.200",
        "192.0.0.192",
        "168.63.129.16",
        "fd00:ec2::254",
        "fd00:ec2::23",
        "fd20:ce::254",
    )
)
_SPECIAL_4 = {
    "0.0.0.0/8": "unspecified",
    "10.0.0.0/8": "private",
    "100.64.0.0/10": "shared by a carrier",
    "127.0.0.0/8": "loopback",
    "169.254.0.0/16": "link-local",
    "172.16.0.0/12": "private",
    "192.0.0.0/24": "reserved",
    "192.0.2.0/24": "for documentation",
    "192.31.196.0/24": "reserved",
    "192.52.193.0/24": "reserved",
    "192.88.99.0/24": "a relay for 6to4",
    "192.168.0.0/16": "private",
    "192.175.48.0/24": "reserved",
    "198.18.0.0/15": "for benchmarks",
    "198.51.100.0/24": "for documentation",
    "203.0.113.0/24": "for documentation",
    "224.0.0.0/4": "multicast",
    "240.0.0.0/4": "reserved",
}
# Narrower networks first: the first match gives the reason.
_SPECIAL_6 = {
    "::1/128": "loopback",
    "::/128": "unspecified",
    "::ffff:0:0/96": "an IPv4 address in IPv6",
    "::ffff:0:0:0/96": "an IPv4 address in IPv6",
    "::/96": "an IPv4 address in IPv6",
    "64:ff9b::/96": "an IPv4 address behind NAT64",
    "64:ff9b:1::/48": "an IPv4 address behind NAT64",
    "100::/64": "a discard prefix",
    "2001::/32": "Teredo",
    "2001:2::/48": "for benchmarks",
    "2001:10::/28": "reserved",
    "2001:20::/28": "reserved",
    "2001:db8::/32": "for documentation",
    "2001::/23": "reserved",
    "2002::/16": "6to4",
    "3fff::/20": "for documentation",
    "fc00::/7": "private",
    "fe80::/10": "link-local",
    "fec0::/10": "site-local",
    "ff00::/8": "multicast",
}
_NETWORKS_4 = [(IPv4Network(network), reason) for network, reason in _SPECIAL_4.items()]
_NETWORKS_6 = [(IPv6Network(network), reason) for network, reason in _SPECIAL_6.items()]
_GLOBAL_6 = IPv6Network("2000::/3")
_ISATAP = (0x00005EFE, 0x02005EFE)

_PRIVATE = frozenset({"private", "loopback", "shared by a carrier"})
"""What a host name in allowed_hosts may resolve to."""

_NUMBER = re.compile(r"(0[xX][0-9A-Fa-f]*|[0-9]+)")
_HOST = re.compile(r"[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*\.?")


def check_address(address: str | Address) -> str | None:
    """Why nothing may be sent there, or None when it is an ordinary public address."""
    try:
        address = ipaddress.ip_address(address)
    except ValueError:
        return "not an address"
    if address in _METADATA:
        return "a metadata service"
    if isinstance(address, IPv4Address):
        return next((reason for network, reason in _NETWORKS_4 if address in network), None)
    return _check_6(address)


def _check_6(address: IPv6Address) -> str | None:
    if address.scope_id is not None:
        return "bound to one link"
    for network, reason in _NETWORKS_6:
        if address in network:
            return reason
    if address not in _GLOBAL_6:
        return "reserved"
    if (int(address) >> 32) & 0xFFFFFFFF in _ISATAP:
        return "an IPv4 address in IPv6"
    return None


def may_be_allowed(address: Address) -> bool:
    """Whether a host name in allowed_hosts may resolve to this address."""
    reason = check_address(address)
    return reason is None or reason in _PRIVATE


def is_loopback(address: Address) -> bool:
    return check_address(address) == "loopback"


def literal(host: str) -> Address | None:
    """The host as an address, if it is one in canonical spelling."""
    inside = host[1:-1] if host.startswith("[") and host.endswith("]") else host
    try:
        return ipaddress.ip_address(inside)
    except ValueError:
        return None


def check_host(host: str) -> str | None:
    """Why a host is refused before it is resolved: a disguised address, or no host name at all."""
    if literal(host) is not None:
        return None
    name = host.rstrip(".").lower()
    if not name or len(host) > 253 or not _HOST.fullmatch(host.lower()):
        return "not a host name"
    if _NUMBER.fullmatch(name.rpartition(".")[2]):
        return "a number that is not an address in its usual form"
    return None
