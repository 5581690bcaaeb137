// What the reader does with maps: move, zoom, point and pick, by pointer and by keys. `look`: as in matrix_drawing.js.
function movesOf(look, redraw, picked) { // picked: told of a cell that is picked
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
    return Math.min(offsetX, offsetY) >= look.margin && at[0] < view.y + view.size && at[1] < view.x + view.size ? at : null;
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
    if (gone && (view.drag.moved ||= Math.hypot(...gone) > 3)) moveTo(...view.drag.start.map((start, k) => start - gone[k] / look.cell));
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
    if (canvas.getRootNode().activeElement?.localName === "canvas" && zoom(Math.exp(turned / 400), under(event))) event.preventDefault();
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
