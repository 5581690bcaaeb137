// The Tab key leaves a table at once: Streamlit's grid would go to the next cell. Arrows still move.
window.attnCoreKeys ??= document.addEventListener("keydown", event => {
  const table = event.target.closest('[data-testid="stDataFrame"] :is(canvas, td)');
  if (event.key === "Tab" && table) event.stopPropagation();
}, true) ?? true;
// One entry of the history for each opened page, as the page was left: Streamlit pushes another where a page completes
// its address, and takes a page's own choices out of it once the menu is clicked.
window.attnCoreHistory ??= (() => {
  const [push, replace] = [history.pushState.bind(history), history.replaceState.bind(history)]
  const same = url => new URL(url ?? location, location).pathname === location.pathname
  let left // the address at the last click on the menu
  document.addEventListener("click", event => {
    if (event.target.closest('[data-testid="stSidebarNavLink"]')) left = location.href
  }, true)
  history.pushState = (state, unused, url) => {
    if (same(url)) return replace(state, unused, url)
    if (left) replace(history.state, unused, left)
    push(state, unused, url)
  }
  return true
})()
// The first Tab leads to a link that skips the sidebar: Streamlit has no way past it by keys.
window.attnCoreSkipLink ??= (() => {
  const skip = document.createElement("a")
  Object.assign(skip, { href: "#main", textContent: "Skip to the page", id: "attn-core-skip" })
  skip.addEventListener("click", event => {
    event.preventDefault() // the address is the view's
    const main = document.querySelector('[data-testid="stMainBlockContainer"]')
    main.tabIndex = -1
    main.focus()
  })
  const style = document.createElement("style")
  style.textContent = `#attn-core-skip { position: fixed; left: 1rem; top: -4rem; z-index: 1000000; padding: 0.5rem 1rem;
    border-radius: 0.5rem; background: #1f2328; color: #fff; font: 1rem sans-serif }
    #attn-core-skip:focus { top: 1rem } [data-testid="stMainBlockContainer"]:focus { outline: none }`
  document.head.append(style)
  document.body.prepend(skip)
  return true
})()
