// A map on its canvas, with its axes, marks and crosshair. `look`: the part that is shown, its sizes in pixels, and the colours of
// the page. Names are untrusted: they reach textContent and fillText only.
const LETTERS = 11, LINE = 14, LEGEND = 32; // pixels
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

function sheet(values, width, [from, to], ramp) { // an offscreen canvas, one pixel a value; what is no number stays transparent
  const canvas = document.createElement("canvas"), image = new ImageData(width, values.length / width);
  const pixels = new Uint32Array(image.data.buffer), step = to > from ? 255 / (to - from) : 0;
  for (let k = 0; k < values.length; k++)
    if (!isNaN(values[k])) pixels[k] = ramp[step ? Math.round(clamp((values[k] - from) * step, 0, 255)) : 127];
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

function fit(pen, name, room) {
  let text = [...name].slice(0, 24);
  while (text.length > 1 && pen.measureText(text.join("")).width > room) text = [...text.slice(0, -2), "…"];
  return text.join("");
}

function draw(look, { canvas, pen, image, strip, ends, marks, values, readout }) {
  const { view, names, n, block, points, width, margin, side, cell, page } = look;
  const ratio = devicePixelRatio, [w, h] = [width, margin + side + LEGEND].map(length => Math.round(length * ratio));
  if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height, canvas.style.height] = [w, h, `${h / ratio}px`];
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.fillStyle = page;
  pen.fillRect(0, 0, width, h);
  pen.save();
  pen.beginPath();
  pen.rect(margin, margin, side, side);
  pen.clip();
  pen.imageSmoothingEnabled = cell * block * ratio < 1; // under a pixel a point: average, otherwise whole rows would vanish
  pen.drawImage(image, view.x / block, view.y / block, view.size / block, view.size / block, margin, margin, side, side);
  if (look.marked) mark(look, pen, marks);
  if (view.cross) box(look, pen, view.cross[0], 0, 1, n), box(look, pen, 0, view.cross[1], n, 1);
  if (view.pick) box(look, pen, ...view.pick, 1, 1, 3);
  pen.restore();
  axes(look, pen);
  pen.drawImage(strip, margin, margin + side + 6, side, 8);
  ends.forEach((end, k) => {
    pen.textAlign = k ? "right" : "left";
    pen.fillText(end, margin + k * side, margin + side + 23);
  });
  const [row, column] = view.cross ?? view.pick ?? [n];
  const named = at => [`${at} `, Object.assign(document.createElement("bdi"), { textContent: names[at] })];
  const value = values[Math.floor(row / block) * points + Math.floor(column / block)], of = block > 1 ? `maximum of ${block} x ${block} cells ` : "";
  if (Math.max(row, column) < n)
    readout.replaceChildren("row ", ...named(row), " · column ", ...named(column), ` · ${of}${isNaN(value) ? "no value" : inWords(value)}`);
  else readout.textContent = "Point at a cell";
}

function box({ view, margin, cell, ink, page }, pen, row, column, rows, columns, thick = 1.4) { // a double line, to be seen on every colour
  const [w, h] = [columns, rows].map(count => Math.max(count * cell, 3 + 2 * thick));
  const x = margin + (column + columns / 2 - view.x) * cell - w / 2, y = margin + (row + rows / 2 - view.y) * cell - h / 2;
  for (const [line, paint] of [[thick * 2.2, page], [thick, ink]]) {
    [pen.lineWidth, pen.strokeStyle] = [line, paint];
    pen.strokeRect(x, y, w, h);
  }
}

function mark(look, pen, pairs) { // a box each where cells can be told apart, else a dot on a halo, seen on every colour
  const { view, margin, cell } = look;
  const seen = pairs.filter(([row, column]) => row + 1 > view.y && column + 1 > view.x && row < view.y + view.size && column < view.x + view.size);
  const halo = clamp(3 * cell, 2, 4); // in a small map large dots would run together
  if (cell >= 6) for (const [row, column] of seen) box(look, pen, row, column, 1, 1);
  else for (const [size, paint] of [[halo, "#fff"], [halo / 2, "#000"]]) {
    pen.fillStyle = paint;
    for (const [row, column] of seen)
      pen.fillRect(margin + (column + 0.5 - view.x) * cell - size / 2, margin + (row + 0.5 - view.y) * cell - size / 2, size, size);
  }
}

function axes({ view, names, sides, margin, side, cell, ink, font }, pen) { // as many names as there is room for
  [pen.fillStyle, pen.textBaseline, pen.direction, pen.font] = [ink, "middle", "ltr", `${LETTERS}px ${font}`];
  pen.textAlign = "center";
  pen.fillText(sides[1], margin + side / 2, LINE / 2);
  pen.save();
  pen.rotate(-Math.PI / 2);
  pen.fillText(sides[0], -margin - side / 2, LINE / 2);
  pen.restore();
  const step = Math.ceil(LINE / cell);
  for (const [start, top] of [[view.y, false], [view.x, true]])
    for (let i = Math.max(0, Math.ceil((start - 0.5) / step) * step); i < names.length && i + 0.5 <= start + view.size; i += step) {
      const at = margin + (i + 0.5 - start) * cell;
      pen.save();
      pen.translate(top ? at : margin, top ? margin : at);
      if (top) pen.rotate(-Math.PI / 2);
      pen.textAlign = top ? "left" : "right";
      pen.fillText(fit(pen, names[i], margin - 8 - LINE), top ? 6 : -6, 0);
      pen.restore();
      pen.fillRect(top ? at : margin - 4, top ? margin - 4 : at, top ? 1 : 4, top ? 4 : 1);
    }
}
