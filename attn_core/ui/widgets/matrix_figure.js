// A map as a figure that travels alone: what is shown of it, on white, 1,200 pixels wide. Put before matrix_canvas.js.
const WIDE = 1200, INSIDE = 940, LEFT = 220, SHARP = 2; // SHARP: pixels of a PNG for one of the SVG
const DARK = "#1f2328", FAINT = "#57606a";
const xml = text => String(text).replace(/[&<>"]/g, sign => `&#${sign.charCodeAt(0)};`);

function asSvg({ title, note, ends, marks, described }, sheet, strip, { x, y, size }, [rows, columns], marked, about) {
  const cell = INSIDE / size, named = cell >= 13, n = sheet.width, above = named ? 250 : 130; // room for names, or for numbers
  const labels = ({ names, every }, start, place) => {
    const step = named ? 1 : spacing(every, 50 / cell);
    let found = "";
    for (let i = Math.max(0, Math.ceil((start - 0.5) / step) * step); i < names.length && i + 0.5 <= start + size; i += step)
      found += `<text ${place((i + 0.5 - start) * cell)}>${xml(named || every ? [...names[i]].slice(0, 24).join("") : i)}</text>`;
    return found;
  };
  const axes = labels(rows, y, at => `x="${LEFT - 10}" y="${above + at + 4}" text-anchor="end"`)
    + labels(columns, x, at => `transform="translate(${LEFT + at + 4} ${above - 10})${named ? " rotate(-90)" : ""}"${named ? "" : ' text-anchor="middle"'}`);
  let boxes = "";
  if (marked) for (const [row, column] of marks) boxes += `<path d="M${column} ${row}h1v1h-1z"/>`;
  const outlined = ["#ffffff", DARK].map((colour, k) =>
    `<g fill="none" stroke="${colour}" stroke-width="${2.4 - 1.4 * k}" style="vector-effect:non-scaling-stroke">${boxes.replaceAll("<path", '<path vector-effect="non-scaling-stroke"')}</g>`);
  const image = (canvas, place) => `<image ${place} preserveAspectRatio="none" style="image-rendering:pixelated" href="${canvas.toDataURL()}"/>`;
  const foot = above + INSIDE;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDE}" height="${foot + 110}" viewBox="0 0 ${WIDE} ${foot + 110}" font-family="Arial, Helvetica, sans-serif" font-size="12" fill="${DARK}">`
    + `<desc>${xml(described)}</desc><metadata>${xml(about.source)}</metadata><rect width="100%" height="100%" fill="#ffffff"/>`
    + `<text x="20" y="36" font-size="20" font-weight="bold">${xml(title)}</text><text x="20" y="60" fill="${FAINT}">${xml(about.note)}</text>`
    + `<text x="20" y="78" fill="${FAINT}">${xml(note)}</text>${axes}`
    + `<svg x="${LEFT}" y="${above}" width="${INSIDE}" height="${INSIDE}" viewBox="${x} ${y} ${size} ${size}" preserveAspectRatio="none">`
    + image(sheet, `width="${n}" height="${n}"`) + outlined.join("") + "</svg>"
    + image(strip, `x="${LEFT}" y="${foot + 24}" width="${INSIDE}" height="14"`)
    + `<text x="${LEFT}" y="${foot + 58}">${xml(ends[0])}</text><text x="${LEFT + INSIDE}" y="${foot + 58}" text-anchor="end">${xml(ends[1])}</text></svg>`;
}

async function asPng(svg, texts) {
  const picture = new Image(), canvas = document.createElement("canvas");
  picture.src = "data:image/svg+xml;base64," + btoa(Array.from(new TextEncoder().encode(svg), byte => String.fromCharCode(byte)).join(""));
  await picture.decode();
  [canvas.width, canvas.height] = [SHARP * picture.width, SHARP * picture.height];
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  const png = new Uint8Array(await (await new Promise(done => canvas.toBlob(done))).arrayBuffer()), head = 33; // signature and IHDR
  return new Blob([png.slice(0, head), ...Object.entries(texts).map(textChunk), png.slice(head)], { type: "image/png" });
}

function textChunk([keyword, text]) { // iTXt: length, type, keyword, five zeros (no compression, language, translation), text, CRC
  const body = new TextEncoder().encode(`iTXt${keyword}\0\0\0\0\0${text}`), chunk = new Uint8Array(body.length + 8);
  const numbers = new DataView(chunk.buffer);
  let crc = -1;
  for (const byte of body) {
    crc ^= byte;
    for (let bit = 0; bit < 8; bit++) crc = crc >>> 1 ^ (crc & 1 ? 0xedb88320 : 0);
  }
  numbers.setUint32(0, body.length - 4);
  chunk.set(body, 4);
  numbers.setUint32(body.length + 4, ~crc);
  return chunk;
}

function download(blob, name) {
  const href = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}
