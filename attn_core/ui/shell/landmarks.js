// Streamlit names a page after its file and has no way past its sidebar by keys: Home is called Home, and the first Tab leads to
// a link that skips to the page itself. Both are made again wherever Streamlit draws its menu anew.
window.attnCoreLandmarks ??= (() => {
  const main = () => document.querySelector('[data-testid="stMainBlockContainer"]')
  const skip = document.createElement("a")
  skip.href = "#main"
  skip.textContent = "Skip to the page"
  skip.id = "attn-core-skip"
  skip.addEventListener("click", event => {
    event.preventDefault() // the address is the view's
    main().tabIndex = -1
    main().focus()
  })
  const style = document.createElement("style")
  style.textContent = `#attn-core-skip { position: fixed; left: 1rem; top: -4rem; z-index: 1000000; padding: 0.5rem 1rem;
    border-radius: 0.5rem; background: #1f2328; color: #fff; font: 1rem sans-serif }
    #attn-core-skip:focus { top: 1rem } [data-testid="stMainBlockContainer"]:focus { outline: none }`
  document.head.append(style)
  const make = () => {
    if (document.body.firstElementChild !== skip) document.body.prepend(skip)
    const label = document.querySelector('[data-testid="stSidebarNavLink"] [label="dashboard"]')
    if (!label) return
    label.setAttribute("label", "Home")
    for (const text of label.querySelectorAll("p")) text.textContent = "Home"
  }
  new MutationObserver(make).observe(document.body, { childList: true, subtree: true })
  make()
  return true
})()
