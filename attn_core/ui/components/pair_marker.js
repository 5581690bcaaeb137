// A text in which two clicks make a pair of words. Words are untrusted: they reach textContent only.
const NAMED = 4;
const RECENT = 20; // pairs that are told again with each new one: of two triggers before the page runs, it gets the second
const views = new WeakMap(); // what the reader did here: stays when Streamlit calls again with other data or theme

const element = (name, properties) => Object.assign(document.createElement(name), properties);

function write(box, { words, spaces }) { // returns one span a word
  let paragraph;
  box.replaceChildren();
  return words.map((word, i) => {
    if (!paragraph || spaces[i].split("\n").length > 2) box.append(paragraph = element("p", { dir: "auto" }));
    else paragraph.append(spaces[i]);
    const span = element("span", { textContent: word, tabIndex: -1, className: "word" });
    span.setAttribute("role", "button");
    paragraph.append(span);
    return span;
  });
}

export default function ({ data, parentElement: root, setTriggerValue }) {
  const { words, pairs, notes } = data, n = words.length;
  const [box, line] = [".text", ".line"].map(selector => root.querySelector(selector));
  const view = views.get(root) ?? { stop: 0 };
  views.set(root, view);
  const identity = JSON.stringify([words, data.spaces]);
  if (view.identity !== identity) Object.assign(view, { identity, spans: write(box, data), armed: null, over: null, focus: null, stop: 0 });
  const { spans } = view;
  view.abort?.abort(); // Streamlit cleans up once, at the very end, and not between two calls
  const stop = view.abort = new AbortController();
  const on = (type, does) => box.addEventListener(type, does, { signal: stop.signal });
  const of = new Map(); // word -> its pairs, by number
  pairs.forEach((pair, k) => pair.forEach(i => of.set(i, [...(of.get(i) ?? []), k])));

  function show() {
    const here = view.over ?? view.focus ?? view.armed, own = of.get(here) ?? [];
    const partners = new Set(own.map(k => pairs[k].find(i => i !== here)));
    spans.forEach((span, i) => {
      span.classList.toggle("paired", of.has(i));
      span.classList.toggle("partner", partners.has(i));
      span.classList.toggle("here", i === here);
      span.classList.toggle("armed", i === view.armed);
      span.setAttribute("aria-pressed", String(i === view.armed));
      span.tabIndex = i === view.stop ? 0 : -1;
    });
    const named = i => element("bdi", { textContent: words[i] });
    const told = own.slice(0, NAMED).flatMap((k, at) => [at ? " · " : "", named(pairs[k][0]), " and ", named(pairs[k][1]), ` ${notes[k]}`]);
    const hint = view.armed !== null ? [named(view.armed), " is marked: click the word that it pairs with. "]
      : ["Point at an underlined word, or click two words; the same two again take a marked pair back. "];
    line.replaceChildren(...(view.armed !== null || !told.length ? hint : []), ...told,
      own.length > NAMED ? ` · and ${own.length - NAMED} more` : "");
  }

  function mark(i) {
    if (view.armed === null) view.armed = i;
    else if (view.armed === i) view.armed = null;
    else {
      const made = view.made ?? [], at = Math.max(Date.now(), (made.at(-1)?.[0] ?? 0) + 1);
      view.made = [...made, [at, view.armed, i]].slice(-RECENT);
      setTriggerValue("pair", view.made);
      view.armed = null;
    }
    show();
  }

  on("pointerover", event => {
    const i = spans.indexOf(event.target);
    if (i >= 0 && i !== view.over) view.over = i, show();
  });
  on("pointerleave", () => { view.over = null; show(); });
  on("focusin", event => {
    view.stop = spans.indexOf(event.target);
    view.focus = event.target.matches(":focus-visible") ? view.stop : null;
    show();
  });
  on("focusout", () => { view.focus = null; show(); });
  on("click", event => {
    const i = spans.indexOf(event.target);
    if (i >= 0) mark(i);
  });
  on("keydown", event => {
    const i = spans.indexOf(event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || i < 0) return;
    const to = { ArrowRight: i + 1, ArrowLeft: i - 1, ArrowDown: i + 10, ArrowUp: i - 10, Home: 0, End: n - 1 }[event.key];
    if (to !== undefined) view.over = null, spans[Math.max(0, Math.min(n - 1, to))].focus();
    else if (event.key === "Enter" || event.key === " ") mark(i);
    else if (event.key === "Escape") view.armed = view.over = null, show();
    else return;
    event.preventDefault();
  });
  show();
  return () => stop.abort();
}
