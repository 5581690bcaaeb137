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
