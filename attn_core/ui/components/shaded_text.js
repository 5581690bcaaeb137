// A text that shades by similarity to the token pointed at, or, with `ends`, by one number a token for that pair.
const CLOSE = 5;
const short = value => String(+value.toPrecision(3));

export default function ({ data: bytes, parentElement: root, setStateValue }) {
  const data = unpacked(bytes), { tokens, numbers, ends } = data, n = tokens.length;
  const [box, scale, line] = [".text", ".scale", ".line"].map(selector => root.querySelector(selector));
  const view = viewOf(root, box, tokens, data.spaces, data.special), { spans } = view;
  if (!view.chosen) view.pin = data.start; // what is pinned at first follows the numbers, what the reader pins stays
  const colours = data.ramps[getComputedStyle(root.host).colorScheme === "dark" ? "dark" : "light"];

  function show() {
    const pinned = view.pin < n ? view.pin : null, here = view.over ?? view.focus ?? pinned;
    const own = j => here === null || j === here ? NaN : numbers[here * n + j];
    const row = ends ? [...numbers] : tokens.map((_, j) => own(j));
    const near = [...row.keys()].filter(j => !isNaN(row[j])).sort((a, b) => row[b] - row[a]);
    let [from, to] = near.length ? [row[near.at(-1)], row[near[0]]] : [0, 0];
    if (data.diverging) [from, to] = [-Math.max(-from, to), Math.max(-from, to)];
    const close = new Set(near.slice(0, CLOSE));
    spans.forEach((span, j) => {
      const level = to > from ? Math.round((row[j] - from) / (to - from) * 255) : 127;
      const [back, ink] = isNaN(row[j]) ? ["", ""] : colours[level];
      [span.style.backgroundColor, span.style.color] = [back, ink];
      span.classList.toggle("close", close.has(j));
      span.classList.toggle("here", j === (ends ? view.over ?? view.focus : here));
      span.classList.toggle("pinned", ends ? ends.includes(j) : j === pinned);
      span.tabIndex = j === view.stop ? 0 : -1;
    });
    const named = j => element("bdi", { textContent: data.names[j].trim() || "␣" });
    const closest = near.slice(0, CLOSE).flatMap((j, k) => [k ? ", " : "", named(j), ` ${short(row[j])}`]);
    const [name, low, strip, high] = scale.children;
    if (ends) {
      const pointed = view.over ?? view.focus, one = pointed === null ? [] : [named(pointed), ` ${short(row[pointed])}. `];
      line.replaceChildren(...one, "Most read by both (underlined): ", ...closest);
      name.replaceChildren("contribution to their similarity");
    } else {
      line.replaceChildren(...here === null ? ["Point at a token"] : ["Most alike (underlined): ", ...closest]);
      if (here !== null) name.replaceChildren("similarity to ", named(here));
    }
    scale.hidden = !near.length;
    [low.textContent, high.textContent] = [from, to].map(end => short(end));
    strip.style.background = `linear-gradient(90deg, ${[0, 64, 128, 191, 255].map(c => colours[c][0])})`;
  }

  function pin(i) {
    Object.assign(view, { pin: i, chosen: true });
    setStateValue("pinned", i);
    show();
  }

  const press = i => { if (data.pins) pin(i === view.pin ? null : i); };
  return listen(box, view, show, press, () => {
    view.over = view.focus = null;
    if (view.pin === null || !data.pins) show(); else pin(null);
  });
}
