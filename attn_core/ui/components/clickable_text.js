// A text whose words can be pointed at, walked through with keys, and clicked. Put before the file that uses it.
// Words are untrusted: they reach textContent only.
const views = new WeakMap(); // what the reader did here: stays when Streamlit calls again with other data or theme

const element = (name, properties) => Object.assign(document.createElement(name), properties);

function write(box, words, spaces, special) { // returns one span a word
  let paragraph;
  box.replaceChildren();
  return words.map((word, i) => {
    if (!paragraph || spaces[i].split("\n").length > 2) box.append(paragraph = element("p", { dir: "auto" }));
    else paragraph.append(spaces[i]);
    // A special token is no part of the text: <bdi> keeps it from deciding the paragraph's direction.
    const className = special[i] ? "word special" : "word"
    const span = element(special[i] ? "bdi" : "span", { textContent: word, tabIndex: -1, className });
    span.setAttribute("role", "button");
    paragraph.append(span);
    return span;
  });
}

function viewOf(root, box, words, spaces, special = []) { // kept until the text is another
  const view = views.get(root) ?? {};
  views.set(root, view);
  const identity = JSON.stringify([words, spaces, special]);
  if (view.identity !== identity) {
    const spans = write(box, words, spaces, special);
    Object.assign(view, { identity, spans, armed: null, over: null, focus: null, stop: 0 });
  }
  return view;
}

function neighbour(spans, i, key) { // the word that an arrow key leads to, as the eye sees it
  const n = spans.length, rightToLeft = getComputedStyle(spans[i].parentElement).direction === "rtl";
  const along = { ArrowRight: rightToLeft ? -1 : 1, ArrowLeft: rightToLeft ? 1 : -1, Home: -n, End: n }[key];
  if (along) return Math.max(0, Math.min(n - 1, i + along));
  const way = { ArrowDown: 1, ArrowUp: -1 }[key], places = way && spans.map(span => span.getBoundingClientRect());
  if (!way) return null;
  const from = places[i], middle = at => at.top + at.height / 2;
  const cost = at => Math.abs(middle(at) - middle(from)) * 1000 + Math.abs(at.left - from.left);
  const beyond = at => (middle(at) - middle(from)) * way > from.height * 0.7;
  const better = (at, best) => beyond(at) && (best === i || cost(at) < cost(places[best]));
  return places.reduce((best, at, j) => better(at, best) ? j : best, i);
}

// Calls show() when the view changes, press(i) when word i is clicked, letGo() at Escape. Returns what ends that.
function listen(box, view, show, press, letGo) {
  const { spans } = view;
  view.abort?.abort(); // Streamlit cleans up once, at the very end, and not between two calls
  const stop = view.abort = new AbortController();
  const on = (type, does) => box.addEventListener(type, does, { signal: stop.signal });
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
    if (i >= 0) press(i);
  });
  on("keydown", event => {
    const i = spans.indexOf(event.target);
    if (event.ctrlKey || event.metaKey || event.altKey || i < 0) return;
    const next = neighbour(spans, i, event.key);
    if (next !== null) view.over = null, spans[next].focus();
    else if (event.key === "Enter" || event.key === " ") press(i);
    else if (event.key === "Escape") letGo();
    else return;
    event.preventDefault();
  });
  show();
  return () => stop.abort();
}
