"use strict";

// Rows of attributes and images: a row is removed by its button; whatever changes them is a change of the form.
(() => {
  const form = document.getElementById("product_form");
  if (!form) return;

  // Unfold asks before one leaves a form in which somebody has typed; rows that move or go are typing too, and so is
  // all that stands in a form that was refused.
  function noteChange() {
    form.elements.seen.dispatchEvent(new Event("input", { bubbles: true }));
  }

  for (const rows of form.querySelectorAll(".product-rows")) {
    rows.classList.add("is-live");
    rows.addEventListener("rows-changed", noteChange);
    rows.addEventListener("click", (event) => {
      const button = event.target.closest("[data-remove]");
      if (!button) return;
      const row = button.closest("li");
      const next = row.nextElementSibling || row.previousElementSibling;
      row.remove();
      (next?.querySelector("[data-remove]") || rows.querySelector(".product-button"))?.focus();
      rows.dispatchEvent(new Event("rows-changed"));
    });
  }

  window.addEventListener("load", () => {
    if (form.querySelector(".errors, .errorlist, .product-refusal")) noteChange();
  });
})();
