// One entry of the browser's history for each page that was opened: Streamlit pushes one more where a page completes its address.
window.attnCoreHistory ??= (() => {
  const [push, replace] = [history.pushState.bind(history), history.replaceState.bind(history)]
  const same = url => new URL(url ?? location, location).pathname === location.pathname
  history.pushState = (state, unused, url) => same(url) ? replace(state, unused, url) : push(state, unused, url)
  return true
})()
