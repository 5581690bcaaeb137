// A map on its canvas, with its axes, marks and crosshair. `look`: the part that is shown, its sizes in pixels, and the
// colours of the page. Names are untrusted: they reach textContent and fillText only.
const LETTERS = 11, LINE = 14, LEGEND = 32; // pixels
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

function sheet(values, width, [from, to], ramp) { // an offscreen canvas, a pixel a value; NaN is transparent
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
  if (canvas.width !== w || canvas.height !== h) {
    [canvas.width, canvas.height, canvas.style.height] = [w, h, `${h / ratio}px`];
  }
  pen.setTransform(ratio, 0, 0, ratio, 0, 0);
  pen.fillStyle = page;
  pen.fillRect(0, 0, width, h);
  pen.save();
  pen.beginPath();
  pen.rect(margin, margin, side, side);
  pen.clip();
  pen.imageSmoothingEnabled = cell * block * ratio < 1; // else rows below a pixel vanish
  const shown = view.size / block;
  pen.drawImage(image, view.x / block, view.y / block, shown, shown, margin, margin, side, side);
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
  const value = values[Math.floor(row / block) * points + Math.floor(column / block)];
  const of = block > 1 ? `maximum of ${block} x ${block} cells ` : "";
  const said = isNaN(value) ? "no value" : String(+value.toPrecision(4));
  if (Math.max(row, column) < n)
    readout.replaceChildren("row ", ...named(row), " · column ", ...named(column), ` · ${of}${said}`);
  else readout.textContent = "Point at a cell";
}

function box({ view, margin, cell, ink, page }, pen, row, column, rows, columns, thick = 1.4) { // a double line: seen on any
  const [w, h] = [columns, rows].map(count => Math.max(count * cell, 3 + 2 * thick));
  const x = margin + (column + columns / 2 - view.x) * cell - w / 2;
  const y = margin + (row + rows / 2 - view.y) * cell - h / 2;
  for (const [line, paint] of [[thick * 2.2, page], [thick, ink]]) {
    [pen.lineWidth, pen.strokeStyle] = [line, paint];
    pen.strokeRect(x, y, w, h);
  }
}

function mark(look, pen, pairs) { // a box each where cells are large, else a dot on a halo
  const { view, margin, cell } = look;
  const within = (at, start) => at + 1 > start && at < start + view.size;
  const seen = pairs.filter(([row, column]) => within(row, view.y) && within(column, view.x));
  const halo = clamp(3 * cell, 2, 4); // in a small map large dots would run together
  if (cell >= 6) for (const [row, column] of seen) box(look, pen, row, column, 1, 1);
  else for (const [size, paint] of [[halo, "#fff"], [halo / 2, "#000"]]) {
    pen.fillStyle = paint;
    const place = at => margin + (at + 0.5) * cell - size / 2;
    for (const [row, column] of seen) pen.fillRect(place(column - view.x), place(row - view.y), size, size);
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
  const first = start => Math.max(0, Math.ceil((start - 0.5) / step) * step);
  for (const [start, top] of [[view.y, false], [view.x, true]])
    for (let i = first(start); i < names.length && i + 0.5 <= start + view.size; i += step) {
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
// What the reader does with maps: move, zoom, point and pick, by pointer and by keys. `look`: as above.
function movesOf(look, redraw, picked) { // picked: called with a cell that is picked
  const { view, n } = look;
  const moveTo = (y, x) => { [view.y, view.x] = [y, x].map(start => clamp(start, 0, n - view.size)); redraw(); };
  const zoom = (factor, at) => { // keeps the cell coordinates `at`, or the middle, where they are
    const [y, x] = at ?? [view.y + view.size / 2, view.x + view.size / 2];
    const size = clamp(view.size * factor, Math.min(n, 4), n), grown = size / view.size;
    view.size = size;
    moveTo(y - (y - view.y) * grown, x - (x - view.x) * grown);
    return grown !== 1;
  };
  const point = (cross) => { view.cross = cross; redraw(); };
  const pick = cross => { picked(view.pick = cross); redraw(); };
  const under = ({ offsetX, offsetY }) => { // (row, column) as fractions; null on the axes
    const at = [view.y + (offsetY - look.margin) / look.cell, view.x + (offsetX - look.margin) / look.cell];
    const inside = at[0] < view.y + view.size && at[1] < view.x + view.size;
    return Math.min(offsetX, offsetY) >= look.margin && inside ? at : null;
  };
  const cellUnder = event => under(event)?.map(Math.floor) ?? null;
  return { moveTo, zoom, point, pick, cellUnder, under };
}

function listen(canvas, on, look, { moveTo, zoom, point, pick, cellUnder, under }) {
  const { view, n } = look;
  on(canvas, "pointerdown", event => {
    if (event.button) return;
    canvas.setPointerCapture(event.pointerId);
    view.drag = { from: [event.clientY, event.clientX], start: [view.y, view.x], moved: false };
  });
  on(canvas, "pointermove", event => {
    const gone = view.drag && [event.clientY, event.clientX].map((now, k) => now - view.drag.from[k]);
    if (gone && (view.drag.moved ||= Math.hypot(...gone) > 3)) {
      moveTo(...view.drag.start.map((start, k) => start - gone[k] / look.cell));
    }
    point(cellUnder(event));
  });
  on(canvas, "pointerup", event => {
    const cross = cellUnder(event);
    if (view.drag && !view.drag.moved && cross) pick(cross);
    view.drag = null;
  });
  on(canvas, "pointercancel", () => { view.drag = null; });
  on(canvas, "pointerleave", () => point(null));
  on(canvas, "blur", () => point(null));
  on(canvas, "wheel", event => {
    const turned = clamp(event.deltaY * (event.deltaMode ? 30 : 1), -100, 100);
    const active = canvas.getRootNode().activeElement?.localName === "canvas";
    if (active && zoom(Math.exp(turned / 400), under(event))) event.preventDefault();
  });
  on(canvas, "keydown", event => {
    const way = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[event.key];
    const factor = { "+": 0.7, "=": 0.7, "-": 1 / 0.7, "0": 1e9 }[event.key];
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (way) {
      const from = view.cross ?? view.pick ?? [view.y, view.x].map(start => Math.floor(start + view.size / 2));
      const cross = from.map((at, k) => clamp(at + way[k] * (event.shiftKey ? 10 : 1), 0, n - 1));
      moveTo(...[view.y, view.x].map((start, k) => clamp(start, cross[k] + 1 - view.size, cross[k])));
      point(cross);
    } else if (factor) zoom(factor, view.cross?.map(at => at + 0.5));
    else if (event.key === "Enter" && view.cross) pick(view.cross);
    else if (event.key === "Escape") canvas.blur();
    else return;
    event.preventDefault();
  });
}
// Maps under one viewport and one crosshair.
const NEAR = 32; // cells that a visit shows
const views = new WeakMap(); // what the reader did here: stays when Streamlit calls again with other data or theme

export default function ({ data: bytes, parentElement: root, setStateValue }) {
  const data = unpacked(bytes), { names, sides, panels, numbers, block } = data;
  const n = names.length, points = Math.ceil(n / block);
  const identity = JSON.stringify(names);
  const grid = root.querySelector(".grid"), outline = root.querySelector(".marks input");
  const view = views.get(root) ?? { pick: null };
  views.set(root, view);
  if (view.identity !== identity) Object.assign(view, { identity, x: 0, y: 0, size: n, cross: null, drag: null });
  const visit = data.visit && data.visit.turn !== view.turn ? data.visit : null;
  view.stop?.abort(); // Streamlit cleans up once, at the very end, and not between two calls
  const stop = view.stop = new AbortController(), style = getComputedStyle(root.host);
  const on = (target, type, does) => target.addEventListener(type, does, { signal: stop.signal, passive: false });
  const [ink, page, font] = ["text-color", "background-color", "font"].map(name => style.getPropertyValue(`--st-${name}`));
  const shade = style.colorScheme === "dark" ? "dark" : "light"; // Streamlit sets it from the page's background
  const look = { view, names, sides, n, block, points, ink, page, font };
  let waiting;

  while (grid.children.length > panels.length) grid.lastChild.remove();
  while (grid.children.length < panels.length)
    grid.append(root.querySelector("template").content.firstElementChild.cloneNode(true));
  const marked = Math.max(...panels.map(panel => panel.marks.length));
  outline.parentElement.hidden = !marked;
  const pairs = `strong pair${marked === 1 ? "" : "s"}`;
  root.querySelector(".marks span").textContent = `Mark the ${marked.toLocaleString("en")} ${pairs} of each head`;
  const maps = panels.map((panel, k) => {
    const [title, canvas, readout] = grid.children[k].children, ramp = data.ramps[panel.scheme][shade];
    title.textContent = panel.title;
    canvas.setAttribute("aria-label", `${panel.described} Arrow keys point, + − 0 zoom, Enter picks.`);
    const values = numbers.subarray(k * points ** 2, (k + 1) * points ** 2);
    return { ...panel, canvas, readout, values, pen: canvas.getContext("2d"),
      image: sheet(values, points, panel.cut, ramp), strip: sheet(ramp.map((_, c) => c), 256, [0, 255], ramp) };
  });

  const redraw = () => waiting ??= requestAnimationFrame(() => {
    waiting = null;
    const width = grid.firstChild.clientWidth, margin = Math.round(clamp(width * 0.17, 56, 92));
    if (stop.signal.aborted || width < 80) return; // narrower: in a closed tab
    const side = width - margin - 12; // room for half of the last tick
    Object.assign(look, { width, margin, side, cell: side / view.size, marked: outline.checked });
    maps.forEach(map => draw(look, map));
  });
  const moves = movesOf(look, redraw, cell => setStateValue("picked", cell));
  for (const { canvas } of maps) listen(canvas, on, look, moves);
  for (const button of root.querySelectorAll("[data-zoom]")) on(button, "click", () => moves.zoom(+button.dataset.zoom));
  on(outline, "change", redraw);
  const resized = new ResizeObserver(redraw);
  resized.observe(grid);
  on(stop.signal, "abort", () => resized.disconnect());
  if (visit) { // a pair chosen elsewhere on the page
    view.turn = visit.turn;
    view.size = Math.min(n, NEAR);
    moves.moveTo(...visit.pair.map(at => at + 0.5 - view.size / 2));
    moves.pick(view.cross = visit.pair);
    root.host.scrollIntoView({ block: "start", behavior: "smooth" });
  }
  redraw();
  return () => stop.abort();
}
