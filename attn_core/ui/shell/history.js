// One entry of the browser's history for each page that was opened, with every choice of its last moment. Streamlit pushes one
// more wherever it completes or corrects an address, and while a page changes it writes addresses from which choices are gone.
window.attnCoreHistory ??= (() => {
  const [push, replace] = [history.pushState.bind(history), history.replaceState.bind(history)]
  const names = url => [...url.searchParams.keys()]
  let changing = false // a page was asked for, and the user has done nothing since
  addEventListener("popstate", () => { changing = true }, true)
  addEventListener("click", event => {
    changing = Boolean(event.target.closest('[data-testid="stSidebarNavLink"], [data-testid="stPageLink"] a'))
  }, true)
  for (const done of ["pointerdown", "keydown"]) addEventListener(done, () => { changing = false }, true)
  history.replaceState = (state, unused, url) => {
    const there = new URL(url ?? location, location)
    if (changing && names(new URL(location)).some(name => !there.searchParams.has(name))) return
    replace(state, unused, there)
  }
  history.pushState = (state, unused, url) => {
    const here = new URL(location), there = new URL(url ?? here, here), given = names(there)
    if (there.pathname === here.pathname) return history.replaceState(state, unused, there)
    for (const [name, value] of here.searchParams) if (!given.includes(name)) there.searchParams.append(name, value)
    push(state, unused, there)
  }
  return true
})()
