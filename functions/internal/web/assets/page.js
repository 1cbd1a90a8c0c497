// The pages work without this. It sends the forms without their empty fields, so that
// addresses stay short; copies the link to an answer; shows that an answer is on its
// way; and opens the plan that the address names.
(function () {
  "use strict";
  for (const form of document.querySelectorAll("form")) {
    form.addEventListener("submit", function () {
      for (const field of form.elements) {
        if (field.name && field.type === "text" && field.value.trim() === "") field.disabled = true;
        if (field.tagName === "SELECT" && field.value === "") field.disabled = true;
        const part = field.closest ? field.closest(".only") : null;
        if (part && field.name && getComputedStyle(part).display === "none") field.disabled = true;
      }
      const button = form.querySelector("button[type=submit]");
      if (button) button.setAttribute("aria-busy", "true");
      setTimeout(function () { restore(form, button); }, 3000);
    });
  }
  function restore(form, button) {
    for (const field of form.elements) field.disabled = false;
    if (button) button.removeAttribute("aria-busy");
  }
  window.addEventListener("pageshow", function () {
    for (const form of document.querySelectorAll("form")) restore(form, form.querySelector("button[type=submit]"));
  });
  const share = document.getElementById("share");
  if (share && navigator.clipboard && window.isSecureContext) {
    share.addEventListener("click", function (event) {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      history.replaceState(null, "", share.href);
      navigator.clipboard.writeText(share.href).then(function () { share.classList.add("copied"); }, function () { location.href = share.href; });
    });
  }
  function reveal() {
    const named = location.hash.length > 1 ? document.getElementById(decodeURIComponent(location.hash.slice(1))) : null;
    if (named && named.tagName === "DETAILS") named.open = true;
  }
  window.addEventListener("hashchange", reveal);
  reveal();
  const problems = document.querySelector(".problems[tabindex]");
  if (problems) problems.focus();
})();
