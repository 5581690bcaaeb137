// Several maps, one viewport, one crosshair. Names are untrusted: they reach textContent and fillText only.
const LABEL = 11, TITLE = 14, LEGEND = 32, NEAR = 32; // LABEL: from this many pixels a cell on, the axes carry every name
const views = new WeakMap(); // what the reader did here: stays when Streamlit calls again with other data or theme
const clamp = (value, low, high) => Math.max(low, Math.min(high, value));

function colouring({ range: [low, high], cut: [from, to] }, ramp) { // code -> pixel; BLANK stays 0, transparent
  const colours = new Uint32Array(BLANK + 1), step = (high - low) / (BLANK - 1);
  for (let code = 0; code < BLANK; code++)
    colours[code] = ramp[to > from ? Math.round(clamp((low + code * step - from) / (to - from), 0, 1) * 255) : 127];
  return colours;
}

function sheet(codes, width, colours) { // an offscreen canvas, one pixel a code
  const canvas = document.createElement("canvas"), image = new ImageData(width, codes.length / width);
  const pixels = new Uint32Array(image.data.buffer);
  for (let k = 0; k < codes.length; k++) pixels[k] = colours[codes[k]];
  [canvas.width, canvas.height] = [image.width, image.height];
  canvas.getContext("2d").putImageData(image, 0, 0);
  return canvas;
}

function spacing(every, least) { // cells between two labels: numbers step by round ones, names by whole groups
  return every ? every * Math.ceil(least / every) : [2, 5, 10, 20, 50, 100, 200].find(each => each >= least) ?? 500;
}

function fit(pen, name, room) {
  let text = [...name].slice(0, 24);
  while (text.length > 1 && pen.measureText(text.join("")).width > room) text = [...text.slice(0, -2), "…"];
  return text.join("");
}

export default function ({ data: bytes, parentElement: root, setStateValue }) {
  const data = unpacked(bytes), { rows, panels, numbers } = data, columns = data.columns ?? rows, n = Math.max(rows.names.length, columns.names.length);
  const identity = JSON.stringify([rows.names, data.columns]);
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
  let waiting, width, margin, side, cell;

  while (grid.children.length > panels.length) grid.lastChild.remove();
  while (grid.children.length < panels.length)
    grid.append(root.querySelector("template").content.firstElementChild.cloneNode(true));
  grid.dataset.count = panels.length;
  const marked = Math.max(...panels.map(panel => panel.marks.length));
  outline.parentElement.hidden = !marked;
  root.querySelector(".marks span").textContent = `Mark the ${marked.toLocaleString("en")} strong pair${marked === 1 ? "" : "s"} of each head`;
  const maps = panels.map((panel, k) => {
    const [title, svg, png, told, canvas, readout, note] = grid.children[k].querySelectorAll("span, button, canvas, output, small");
    const ramp = data.ramps[panel.scheme][shade];
    [title.textContent, note.textContent] = [panel.title, panel.note];
    canvas.setAttribute("aria-label", `${panel.described} Arrow keys point, + − 0 zoom, Enter picks.`);
    told.setAttribute("aria-label", `Copy the caption of ${panel.title}`);
    [svg, png].forEach(button => button.setAttribute("aria-label", `Save as ${button.textContent}: ${panel.title}`));
    Object.assign(panel, numbers[k]);
    const sides = panel.sides ?? [rows.of, (data.columns ?? rows).of];
    return { ...panel, sides, svg, png, told, canvas, readout, pen: canvas.getContext("2d"),
      image: sheet(panel.codes, n, colouring(panel, ramp)), strip: sheet(ramp.map((_, c) => c), 256, ramp) };
  });

  const redraw = () => waiting ??= requestAnimationFrame(() => {
    waiting = null;
    width = grid.firstChild.clientWidth;
    if (stop.signal.aborted || width < 80) return; // narrower: in a closed tab
    margin = Math.round(clamp(width * 0.17, 56, 92));
    side = width - margin - 12; // room for half of the last tick
    cell = side / view.size;
    maps.forEach(draw);
  });

  function draw({ canvas, pen, image, strip, ends, marks, sides, codes, range: [low, high], digits, readout }) {
    const ratio = devicePixelRatio, [w, h] = [width, margin + side + LEGEND].map(length => Math.round(length * ratio));
    if (canvas.width !== w || canvas.height !== h) [canvas.width, canvas.height, canvas.style.height] = [w, h, `${h / ratio}px`];
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.fillStyle = page;
    pen.fillRect(0, 0, width, h);
    pen.save();
    pen.beginPath();
    pen.rect(margin, margin, side, side);
    pen.clip();
    pen.imageSmoothingEnabled = cell * ratio < 1; // under a pixel a cell: average, otherwise whole rows would vanish
    pen.drawImage(image, view.x, view.y, view.size, view.size, margin, margin, side, side);
    if (outline.checked) mark(pen, marks);
    if (view.cross) box(pen, view.cross[0], 0, 1, n), box(pen, 0, view.cross[1], n, 1);
    if (view.pick) box(pen, ...view.pick, 1, 1, 3);
    pen.restore();
    axes(pen, sides);
    pen.drawImage(strip, margin, margin + side + 6, side, 8);
    ends.forEach((end, k) => {
      pen.textAlign = k ? "right" : "left";
      pen.fillText(end, margin + k * side, margin + side + 23);
    });
    const [row, column] = view.cross ?? view.pick ?? [n], code = codes[row * n + column];
    const named = ({ names }, at) => Object.assign(document.createElement("bdi"), { textContent: names[at] ?? "" });
    const numbered = ({ every }, at) => every ? "" : `${at} `;
    const value = code === BLANK ? "no value" : (low + code * (high - low) / (BLANK - 1)).toFixed(digits);
    if (Math.max(row, column) < n) 
      readout.replaceChildren(`row ${numbered(rows, row)}`, named(rows, row), ` · column ${numbered(columns, column)}`, named(columns, column), ` · ${value}`);
    else readout.textContent = "Point at a cell";
  }

  function box(pen, row, column, rows, columns, thick = 1.4) { // a double line, to be seen on every colour
    const [w, h] = [columns, rows].map(count => Math.max(count * cell, 3 + 2 * thick));
    const x = margin + (column + columns / 2 - view.x) * cell - w / 2, y = margin + (row + rows / 2 - view.y) * cell - h / 2;
    for (const [line, paint] of [[thick * 2.2, page], [thick, ink]]) {
      [pen.lineWidth, pen.strokeStyle] = [line, paint];
      pen.strokeRect(x, y, w, h);
    }
  }

  function mark(pen, pairs) { // a box each where cells can be told apart, else a dot on a halo
    const seen = pairs.filter(([row, column]) => row + 1 > view.y && column + 1 > view.x && row < view.y + view.size && column < view.x + view.size);
    const halo = clamp(3 * cell, 2, 4); // in a small map large dots would run together
    if (cell >= 6) for (const [row, column] of seen) box(pen, row, column, 1, 1);
    else for (const [size, paint] of [[halo, page], [halo / 2, ink]]) {
      pen.fillStyle = paint;
      for (const [row, column] of seen)
        pen.fillRect(margin + (column + 0.5 - view.x) * cell - size / 2, margin + (row + 0.5 - view.y) * cell - size / 2, size, size);
    }
  }

  function axes(pen, sides) {
    [pen.fillStyle, pen.textBaseline, pen.direction, pen.font] = [ink, "middle", "ltr", `${LABEL}px ${font}`];
    pen.textAlign = "center";
    const places = ({ every }, numbers) => cell >= LABEL || every ? TITLE / 2 : margin - numbers; // beside short numbers
    pen.fillText(sides[1], margin + side / 2, places(columns, 26));
    pen.save();
    pen.rotate(-Math.PI / 2);
    pen.fillText(sides[0], -margin - side / 2, places(rows, 40));
    pen.restore();
    for (const [start, top, { names, every }] of [[view.y, false, rows], [view.x, true, columns]]) {
      const step = cell >= LABEL ? 1 : spacing(every, 36 / cell);
      for (let i = Math.max(0, Math.ceil((start - 0.5) / step) * step); i < names.length && i + 0.5 <= start + view.size; i += step) {
        const at = margin + (i + 0.5 - start) * cell;
        pen.save();
        pen.translate(top ? at : margin, top ? margin : at);
        if (top && step === 1) pen.rotate(-Math.PI / 2);
        pen.textAlign = !top ? "right" : step === 1 ? "left" : "center";
        const away = top && step === 1 ? 6 : top ? 0 : -6;
        pen.fillText(step === 1 || every ? fit(pen, names[i], margin - 8 - TITLE) : i, away, top && step > 1 ? -10 : 0);
        pen.restore();
        pen.fillRect(top ? at : margin - 4, top ? margin - 4 : at, top ? 1 : 4, top ? 4 : 1);
      }
    }
  }

  const moveTo = (y, x) => { [view.y, view.x] = [y, x].map(start => clamp(start, 0, n - view.size)); redraw(); };
  const zoom = (factor, at) => { // keeps the cell coordinates `at`, or the middle, where they are
    const [y, x] = at ?? [view.y + view.size / 2, view.x + view.size / 2];
    const size = clamp(view.size * factor, Math.min(n, 4), n), grown = size / view.size;
    view.size = size;
    moveTo(y - (y - view.y) * grown, x - (x - view.x) * grown);
    return grown !== 1;
  };
  const point = (cross) => { view.cross = cross; redraw(); };
  const pick = cross => { setStateValue("picked", view.pick = cross); redraw(); };
  const under = ({ offsetX, offsetY }) => { // (row, column) as fractions; null on the axes
    const at = [view.y + (offsetY - margin) / cell, view.x + (offsetX - margin) / cell];
    return Math.min(offsetX, offsetY) >= margin && at[0] < view.y + view.size && at[1] < view.x + view.size ? at : null;
  };
  const cellUnder = event => under(event)?.map(Math.floor) ?? null;

  async function save(map, kind) { // in the colours of a light page, whatever this page's are
    const ramp = data.ramps[map.scheme].light, name = map.title.replace(/[^\p{L}\p{N}]+/gu, "_") + "." + kind;
    const drawn = asSvg(map, sheet(map.codes, n, colouring(map, ramp)), sheet(ramp.map((_, c) => c), 256, ramp), view, [rows, columns], outline.checked, data.about);
    const texts = { Title: map.title, Description: map.described, Source: data.about.source };
    download(kind === "svg" ? new Blob([drawn], { type: "image/svg+xml" }) : await asPng(drawn, texts), name);
  }

  for (const map of maps) {
    const { canvas } = map;
    on(map.svg, "click", () => save(map, "svg"));
    on(map.png, "click", () => save(map, "png"));
    on(map.told, "click", async () => {
      await navigator.clipboard.writeText(`${map.title}. ${data.about.note}. ${map.note}`);
      map.told.textContent = "Copied";
    });
    on(canvas, "pointerdown", event => {
      if (event.button) return;
      canvas.setPointerCapture(event.pointerId);
      view.drag = { from: [event.clientY, event.clientX], start: [view.y, view.x], moved: false };
    });
    on(canvas, "pointermove", event => {
      const gone = view.drag && [event.clientY, event.clientX].map((now, k) => now - view.drag.from[k]);
      if (gone && (view.drag.moved ||= Math.hypot(...gone) > 3)) moveTo(...view.drag.start.map((start, k) => start - gone[k] / cell));
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
      if (root.activeElement?.localName === "canvas" && zoom(Math.exp(turned / 400), under(event))) event.preventDefault();
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
  for (const button of root.querySelectorAll("[data-zoom]")) on(button, "click", () => zoom(+button.dataset.zoom));
  on(outline, "change", redraw);
  const resized = new ResizeObserver(redraw);
  resized.observe(grid);
  on(stop.signal, "abort", () => resized.disconnect());
  if (visit) { // a pair chosen elsewhere on the page
    view.turn = visit.turn;
    view.size = Math.min(n, NEAR);
    moveTo(...visit.pair.map(at => at + 0.5 - view.size / 2));
    pick(view.cross = visit.pair);
    root.host.scrollIntoView({ block: "start", behavior: "smooth" });
  }
  redraw();
  return () => stop.abort();
}
