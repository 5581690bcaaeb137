"""Files that a user uploads: kept in the session, since Streamlit forgets them when the page changes.

Every kind is taken and looked at by us: of another than it was asked for, Streamlit says less, or fails.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

import streamlit as st
from streamlit.runtime.uploaded_file_manager import UploadedFile

from attn_core.io.paths import last_part

MOST = 5  # MB a file
LONGEST_NAME = 60  # characters; a file system takes 255 bytes


@dataclass(frozen=True)
class Upload:
    """A file. name: one that every file system and every page takes; of a long one the end, which tells the kind."""

    name: str
    data: bytes

    @classmethod
    def of(cls, file: UploadedFile) -> "Upload":
        """What Streamlit has of a file, whose name a program may have sent."""
        printable = "".join(c if c.isprintable() else " " for c in last_part(file.name))
        return cls(printable[-LONGEST_NAME:].strip() or "unnamed", file.getvalue())


def uploaded(
    label: str, key: str, many: bool = False, keep: Callable[[list[Upload]], Any] = list, explanation: str | None = None
) -> Any | None:
    """What `keep` made of the last files, by default the files; None before. It stays when files are taken back."""
    files = st.file_uploader(label, key=key, accept_multiple_files=many, max_upload_size=MOST, help=explanation)
    if files:
        given = files if isinstance(files, list) else [files]
        st.session_state[kept(key)] = keep([Upload.of(one) for one in given])
    return st.session_state.get(kept(key))


def kept(key: str) -> str:
    """Where the session has it."""
    return f"{key}_kept"


def digest(files: Sequence[Upload]) -> str:
    """SHA-256 over names and contents."""
    return sha256(b"".join(one.name.encode() + b"\0" + sha256(one.data).digest() for one in files)).hexdigest()
