// Runs before the first paint: says that scripts run, and applies the reader's choice of light or dark.
(function () {
  const page = document.documentElement;
  page.classList.replace("no-js", "js");
  try {
    const theme = localStorage.getItem("geosmin-theme");
    if (theme === "light" || theme === "dark") page.dataset.theme = theme;
  } catch {
    // Storage is blocked: the system's setting stands.
  }
})();
