// Maps under one viewport and one crosshair. Put after matrix_drawing.js and matrix_pointing.js.
const NEAR = 32; // cells that a visit shows
const views = new WeakMap(); // what the reader did here: stays when Streamlit calls again with other data or theme

export default function ({ data: bytes, parentElement: root, setStateValue }) {
  const data = unpacked(bytes), { names, sides, panels, numbers, block } = data, n = names.length, points = Math.ceil(n / block);
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
  grid.dataset.count = panels.length;
  const marked = Math.max(...panels.map(panel => panel.marks.length));
  outline.parentElement.hidden = !marked;
  root.querySelector(".marks span").textContent = `Mark the ${marked.toLocaleString("en")} strong pair${marked === 1 ? "" : "s"} of each head`;
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
