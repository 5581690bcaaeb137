// A map as a figure: what is shown of it, on white under its title, as wide as a column of a journal. Put before matrix_canvas.js.
const WIDE = 321, LEFT = 88, INSIDE = WIDE - LEFT - 8, LETTER = 10.7, LINE = 14, SHARP = 7.5; // WIDE: 85 mm; SHARP: 2,400 pixels of a PNG
const NAMES = 80; // pixels for the names above the columns
const DARK = "#1f2328";
const xml = text => String(text).replace(/[&<>"]/g, sign => `&#${sign.charCodeAt(0)};`);

function asSvg({ title, ends, marks, described, sides }, sheets, strip, { x, y, size }, [rows, columns], marked) {
  const cell = INSIDE / size, named = cell >= 4;
  const above = 4 + 2 * LINE + 10 + (named ? NAMES : LINE), foot = above + INSIDE;
  const labels = ({ names, every }, start, place) => { // names and numbers for which there is no room are left out
    const step = named ? Math.ceil(LINE / cell) : spacing(every, 30 / cell);
    let found = "";
    for (let i = Math.max(0, Math.ceil((start - 0.5) / step) * step); i < names.length && i + 0.5 <= start + size; i += step) {
      const name = named || every ? [...names[i]] : [...String(i)];
      found += `<text ${place((i + 0.5 - start) * cell)}>${xml(name.length > 11 ? name.slice(0, 10).join("") + "…" : name.join(""))}</text>`;
    }
    return found;
  };
  const axes = labels(rows, y, at => `x="${LEFT - 4}" y="${above + at + 4}" text-anchor="end"`)
    + labels(columns, x, at => `transform="translate(${LEFT + at + (named ? 4 : 0)} ${above - 4})${named ? " rotate(-90)" : ""}"${named ? "" : ' text-anchor="middle"'}`)
    + `<text x="${LEFT + INSIDE / 2}" y="${above - (named ? NAMES : LINE) - 6}" text-anchor="middle">${xml(sides[1])}</text>`
    + `<text transform="translate(${named ? LETTER : LEFT - 30} ${above + INSIDE / 2}) rotate(-90)" text-anchor="middle">${xml(sides[0])}</text>`;
  const box = cell >= 3, dot = 1.6 / cell; // a box each where cells can be told apart, else a dot on a halo; in cells
  const drawn = (row, column, side) => `M${column + (1 - side) / 2} ${row + (1 - side) / 2}h${side}v${side}h-${side}z`;
  const outlined = !marked ? [] : [["#ffffff", 2], [DARK, 1]].map(([colour, wide]) =>
    `<path ${box ? `fill="none" stroke="${colour}" stroke-width="${wide * 0.9 / cell}"` : `fill="${colour}"`} `
    + `d="${marks.map(([row, column]) => drawn(row, column, box ? 1 : wide * dot / 2)).join("")}"/>`);
  const image = (canvas, place) => `<image ${place} preserveAspectRatio="none" style="image-rendering:pixelated" href="${canvas.toDataURL()}"/>`;
  const high = foot + 44;
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDE}" height="${high}" viewBox="0 0 ${WIDE} ${high}" font-family="Arial, Helvetica, sans-serif" font-size="${LETTER}" fill="${DARK}">`
    + `<desc>${xml(described)}</desc><rect width="100%" height="100%" fill="#ffffff"/>`
    + `<text x="4" y="${LINE}" font-weight="bold">${xml(title)}</text>${axes}`
    + `<svg x="${LEFT}" y="${above}" width="${INSIDE}" height="${INSIDE}" viewBox="${x} ${y} ${size} ${size}" preserveAspectRatio="none">`
    + sheets.map(({ drawn, x, y, size }) => image(drawn, `x="${x}" y="${y}" width="${size}" height="${size}"`)).join("") + outlined.join("") + "</svg>"
    + image(strip, `x="${LEFT}" y="${foot + 10}" width="${INSIDE}" height="8"`)
    + `<text x="${LEFT}" y="${foot + 32}">${xml(ends[0])}</text><text x="${LEFT + INSIDE}" y="${foot + 32}" text-anchor="end">${xml(ends[1])}</text></svg>`;
}

async function asPng(svg) {
  const picture = new Image(), canvas = document.createElement("canvas");
  picture.src = "data:image/svg+xml;base64," + btoa(Array.from(new TextEncoder().encode(svg), byte => String.fromCharCode(byte)).join(""));
  await picture.decode();
  [canvas.width, canvas.height] = [SHARP * picture.width, SHARP * picture.height];
  canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
  return new Promise(done => canvas.toBlob(done));
}

function download(blob, name) {
  const href = URL.createObjectURL(blob);
  Object.assign(document.createElement("a"), { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), 1000);
}
