// A text that shades by similarity to the token pointed at. Tokens are untrusted: they reach textContent only.
const CLOSE = 5, NAMED = 3;
const views = new WeakMap(); // what the reader did here: stays when Streamlit calls again with other data or theme

const element = (name, properties) => Object.assign(document.createElement(name), properties);

function write(box, { tokens, spaces, special }) { // returns one span a token
  let paragraph;
  box.replaceChildren();
  return tokens.map((token, i) => {
    if (!paragraph || spaces[i].split("\n").length > 2) box.append(paragraph = element("p", { dir: "auto" }));
    else paragraph.append(spaces[i]);
    // A special token is no part of the text: <bdi> keeps it from deciding the paragraph's direction.
    const span = element(special[i] ? "bdi" : "span", { textContent: token, tabIndex: -1, className: special[i] ? "token special" : "token" });
    span.setAttribute("role", "button");
    paragraph.append(span);
    return span;
  });
}

export default function ({ data: bytes, parentElement: root, setStateValue }) {
  const data = unpacked(bytes), { tokens } = data, n = tokens.length, { range: [low, high], digits, codes } = data.numbers[0];
  const [box, scale, line] = [".text", ".scale", ".line"].map(selector => root.querySelector(selector));
  const view = views.get(root) ?? { chosen: false };
  views.set(root, view);
  if (!view.chosen) view.pin = data.start; // what is pinned at first follows the numbers, what the reader pins stays
  const identity = JSON.stringify([tokens, data.spaces, data.special]);
  if (view.identity !== identity) Object.assign(view, { identity, spans: write(box, data), over: null, focus: null, stop: 0 });
  const { spans } = view;
  view.abort?.abort(); // Streamlit cleans up once, at the very end, and not between two calls
  const stop = view.abort = new AbortController();
  const on = (type, does) => box.addEventListener(type, does, { signal: stop.signal });
  const colours = data.ramps[getComputedStyle(root.host).colorScheme === "dark" ? "dark" : "light"];

  function show() {
    const pinned = view.pin < n ? view.pin : null, here = view.over ?? view.focus ?? pinned;
    const row = tokens.map((_, j) => {
      const code = codes[here * n + j];
      return here === null || j === here || code === BLANK ? NaN : low + code * (high - low) / (BLANK - 1);
    });
    const near = [...row.keys()].filter(j => !isNaN(row[j])).sort((a, b) => row[b] - row[a]);
    let [from, to] = near.length ? [row[near.at(-1)], row[near[0]]] : [0, 0];
    if (data.diverging) [from, to] = [-Math.max(-from, to), Math.max(-from, to)];
    const close = new Set(near.slice(0, CLOSE));
    spans.forEach((span, j) => {
      const [back, ink] = isNaN(row[j]) ? ["", ""] : colours[to > from ? Math.round((row[j] - from) / (to - from) * 255) : 127];
      [span.style.backgroundColor, span.style.color] = [back, ink];
      span.classList.toggle("close", close.has(j));
      span.classList.toggle("here", j === here);
      span.classList.toggle("pinned", j === pinned);
      span.tabIndex = j === view.stop ? 0 : -1;
    });
    const named = j => [element("bdi", { textContent: tokens[j].trim() || "␣" }), ` (${j})`];
    const closest = near.slice(0, NAMED).flatMap((j, k) => [k ? ", " : "", ...named(j), ` ${row[j].toFixed(digits)}`]);
    line.replaceChildren(...here === null ? ["Point at a token"] : [...named(here), " · closest: ", ...closest],
      pinned !== null && pinned === here ? " · pinned" : "");
    scale.hidden = !near.length;
    [scale.firstChild.textContent, scale.lastChild.textContent] = [from, to].map(end => String(+end.toPrecision(3)));
    scale.children[1].style.background = `linear-gradient(90deg, ${[0, 64, 128, 191, 255].map(c => colours[c][0])})`;
  }

  function pin(i) {
    Object.assign(view, { pin: i, chosen: true });
    setStateValue("picked", i);
    show();
  }

  function neighbour(i, key) { // the token that an arrow key leads to, as the eye sees it
    const rightToLeft = getComputedStyle(spans[i].parentElement).direction === "rtl";
    const along = { ArrowRight: rightToLeft ? -1 : 1, ArrowLeft: rightToLeft ? 1 : -1, Home: -n, End: n }[key];
    if (along) return Math.max(0, Math.min(n - 1, i + along));
    const way = { ArrowDown: 1, ArrowUp: -1 }[key], places = way && spans.map(span => span.getBoundingClientRect());
    if (!way) return null;
    const from = places[i], middle = at => at.top + at.height / 2;
    const cost = at => Math.abs(middle(at) - middle(from)) * 1000 + Math.abs(at.left - from.left);
    return places.reduce((best, at, j) => (middle(at) - middle(from)) * way > from.height * 0.7 && (best === i || cost(at) < cost(places[best])) ? j : best, i);
  }

  on("pointerover", event => {
    const i = spans.indexOf(event.target);
    if (i >= 0 && i !== view.over) view.over = i, show();
  });
  on("pointerleave", () => { view.over = null; show(); });
  on("focusin", event => {
    view.stop = spans.indexOf(event.target);
    view.focus = event.target.matches(":focus-visible") ? view.stop : null; // a click focuses too, and is not pointing
    show();
  });
  on("focusout", () => { view.focus = null; show(); });
  on("click", event => {
    const i = spans.indexOf(event.target);
    if (i >= 0) pin(i === view.pin ? null : i);
  });
  on("keydown", event => {
    const i = spans.indexOf(event.target), next = neighbour(i, event.key);
    if (event.ctrlKey || event.metaKey || event.altKey || i < 0) return;
    if (next !== null) view.over = null, spans[next].focus();
    else if (event.key === "Enter" || event.key === " ") pin(i === view.pin ? null : i);
    else if (event.key === "Escape") {
      view.over = view.focus = null;
      if (view.pin === null) show(); else pin(null);
    } else return;
    event.preventDefault();
  });
  show();
  return () => stop.abort();
}
