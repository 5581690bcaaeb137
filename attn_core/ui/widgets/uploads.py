"""Files that a user uploads: kept in the session, since Streamlit forgets them when the page changes."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import streamlit as st

MOST = 5  # MB a file


@dataclass(frozen=True)
class Upload:
    """A file."""

    name: str
    data: bytes


def uploaded(
    label: str,
    key: str,
    types: Sequence[str],
    many: bool = False,
    keep: Callable[[list[Upload]], Any] = list,
    explanation: str | None = None,
) -> Any | None:
    """What `keep` made of the last files, by itself the files; None before. Files that are taken back leave it in place."""
    files = st.file_uploader(
        label, type=types, key=key, accept_multiple_files=many, max_upload_size=MOST, help=explanation
    )
    if files:
        given = files if isinstance(files, list) else [files]
        st.session_state[kept(key)] = keep([Upload(one.name, one.getvalue()) for one in given])
    return st.session_state.get(kept(key))


def kept(key: str) -> str:
    """Where the session has it."""
    return f"{key}_kept"


def digest(files: Sequence[Upload]) -> str:
    """SHA-256 over names and contents."""
    return sha256(b"".join(one.name.encode() + b"\0" + sha256(one.data).digest() for one in files)).hexdigest()
