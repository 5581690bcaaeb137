"""Files of other programs, as they begin, and a part of the sentence that each is refused with."""

import io
import zipfile


def _zip(*names: str) -> bytes:
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as packed:
        for name in names:
            packed.writestr(name, "The tide rose. The boats rose with it.")
    return buffer.getvalue()


OF_PROGRAMS = [
    ("docx", _zip("[Content_Types].xml", "word/document.xml"), "Save As"),
    ("odt", _zip("mimetype", "content.xml"), "Save As"),
    ("epub", _zip("mimetype", "OEBPS/1.xhtml"), "Save As"),
    ("doc", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(600), "Save As"),
    ("rtf", b"{\\rtf1\\ansi The tide rose.}", "Save As"),
    ("pdf", b"%PDF-1.4\n1 0 obj <<>> endobj The tide rose.", "pdftotext"),
    ("pdf after blanks", b"\xef\xbb\xbf\r\n%PDF-1.7\n", "pdftotext"),
]
