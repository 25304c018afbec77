"""The key of an endpoint: from the environment, or from the keyring of the system. Settings never hold one."""

from __future__ import annotations

import os
from urllib.parse import urlsplit

_SERVICE = "postil"  # `keyring set postil api.example.com`


def api_key(variable: str, endpoint: str) -> str:
    """ "" where neither has one. The keyring, an optional dependency, is asked by the host of the endpoint."""
    key = os.environ.get(variable, "") if variable else ""
    return key or _from_keyring(urlsplit(endpoint).hostname or "")


def _from_keyring(host: str) -> str:
    try:
        import keyring
        from keyring.errors import KeyringError
    except ModuleNotFoundError:
        return ""
    try:
        return keyring.get_password(_SERVICE, host) or ""
    except KeyringError:  # there is none on this system, or it stays locked
        return ""
