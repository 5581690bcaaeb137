// The Tab key leaves a table at once: Streamlit's grid would take it for "next cell", column after column. Arrows still move.
window.attnCoreKeys ??= document.addEventListener("keydown", event => {
  if (event.key === "Tab" && event.target.closest('[data-testid="stDataFrame"] :is(canvas, td)')) event.stopPropagation();
}, true) ?? true;
