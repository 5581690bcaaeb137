// Several maps, one viewport, one crosshair. Put after matrix_drawing.js, matrix_figure.js and matrix_pointing.js.
const NEAR = 32; // cells that a visit shows
const views = new WeakMap(); // what the reader did here: stays when Streamlit calls again with other data or theme

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
  const look = { view, rows, columns, n, block: data.block, fine: data.fine, ofBlock: data.of_block, ink, page, font };
  let waiting, asking;

  while (grid.children.length > panels.length) grid.lastChild.remove();
  while (grid.children.length < panels.length)
    grid.append(root.querySelector("template").content.firstElementChild.cloneNode(true));
  grid.dataset.count = panels.length;
  const marked = Math.max(...panels.map(panel => panel.marks.length));
  outline.parentElement.hidden = !marked;
  root.querySelector(".marks span").textContent = `Mark the ${marked.toLocaleString("en")} strong pair${marked === 1 ? "" : "s"} of each head`;
  const maps = panels.map((panel, k) => {
    const [title, svg, png, canvas, readout, note] = grid.children[k].querySelectorAll("span, button, canvas, output, small");
    const ramp = data.ramps[panel.scheme][shade];
    [title.textContent, note.textContent] = [panel.title, panel.note];
    canvas.setAttribute("aria-label", `${panel.described} Arrow keys point, + − 0 zoom, Enter picks.`);
    [svg, png].forEach(button => button.setAttribute("aria-label", `Save as ${button.textContent}: ${panel.title}`));
    const side = Math.ceil(n / data.block), detailed = numbers[panels.length + k], whole = { ...numbers[k], width: side };
    const painted = (part, ramp) => sheet(part.codes, part.width, colouring({ ...part, cut: panel.cut }, ramp));
    const [y, x, size] = data.detail ?? [], detail = detailed && { ...detailed, width: size, y, x, size };
    if (detail) detail.image = painted(detail, ramp);
    const sides = panel.sides ?? [rows.of, (data.columns ?? rows).of];
    return { ...panel, sides, svg, png, canvas, readout, pen: canvas.getContext("2d"), whole, detail, painted,
      image: painted(whole, ramp), strip: sheet(ramp.map((_, c) => c), 256, ramp) };
  });

  const redraw = () => waiting ??= requestAnimationFrame(() => {
    waiting = null;
    const width = grid.firstChild.clientWidth, margin = Math.round(clamp(width * 0.17, 56, 92));
    if (stop.signal.aborted || width < 80) return; // narrower: in a closed tab
    const side = width - margin - 12; // room for half of the last tick
    Object.assign(look, { width, margin, side, cell: side / view.size, marked: outline.checked });
    maps.forEach(map => draw(look, map));
    askForCells();
  });

  function askForCells() { // of a raster, once the reader rests where few enough cells are seen
    clearTimeout(asking);
    if (data.block === 1 || view.size > data.fine) return;
    const [y, x, size] = data.detail ?? [0, 0, 0], inside = (start, from) => start >= from && start + view.size <= from + size;
    const middle = [view.y, view.x].map(start => Math.round(start + view.size / 2)), wish = middle.join();
    if ((inside(view.y, y) && inside(view.x, x)) || view.wish === wish) return;
    asking = setTimeout(() => { view.wish = wish; setStateValue("looked", middle); }, 250);
  }

  const moves = movesOf(look, redraw, cell => setStateValue("picked", cell));

  async function save(map, kind) { // in the colours of a light page, whatever this page's are
    const ramp = data.ramps[map.scheme].light, name = map.title.replace(/[^\p{L}\p{N}]+/gu, "_") + "." + kind;
    const sheets = [{ drawn: map.painted(map.whole, ramp), x: 0, y: 0, size: map.whole.width * data.block }];
    if (map.detail && view.size <= data.fine) sheets.push({ ...map.detail, drawn: map.painted(map.detail, ramp) });
    const drawn = asSvg(map, sheets, sheet(ramp.map((_, c) => c), 256, ramp), view, [rows, columns], outline.checked);
    download(kind === "svg" ? new Blob([drawn], { type: "image/svg+xml" }) : await asPng(drawn), name);
  }

  for (const map of maps) {
    const { canvas } = map;
    on(map.svg, "click", () => save(map, "svg"));
    on(map.png, "click", () => save(map, "png"));
    listen(canvas, on, look, moves);
  }
  for (const button of root.querySelectorAll("[data-zoom]")) on(button, "click", () => moves.zoom(+button.dataset.zoom));
  on(outline, "change", redraw);
  const resized = new ResizeObserver(redraw);
  resized.observe(grid);
  on(stop.signal, "abort", () => { resized.disconnect(); clearTimeout(asking); });
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
