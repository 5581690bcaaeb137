// A text in which two clicks make a pair of words.
const NAMED = 4;
const RECENT = 20; // pairs sent again with each new one: of two triggers the page gets the second

export default function ({ data, parentElement: root, setTriggerValue }) {
  const { words, pairs, notes } = data;
  const [box, line] = [".text", ".line"].map(selector => root.querySelector(selector));
  const view = viewOf(root, box, words, data.spaces), { spans } = view;
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
    const named_pair = k => [named(pairs[k][0]), " and ", named(pairs[k][1]), ` ${notes[k]}`];
    const described = own.slice(0, NAMED).flatMap((k, at) => [at ? " · " : "", ...named_pair(k)]);
    const hint = view.armed !== null ? [named(view.armed), " is marked: click the word that it pairs with. "]
      : ["Point at an underlined word, or click two words; the same two again take a marked pair back. "];
    line.replaceChildren(...(view.armed !== null || !described.length ? hint : []), ...described,
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

  return listen(box, view, show, mark, () => { view.armed = view.over = null; show(); });
}
