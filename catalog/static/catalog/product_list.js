"use strict";

// The list of products: filters stay open as the person left them, and attributes are suggested once they are asked for.
document.addEventListener("DOMContentLoaded", () => {
  for (const part of document.querySelectorAll(".products-part")) {
    const key = `products:${part.id}`;
    part.open = sessionStorage.getItem(key) === "open";
    part.addEventListener("toggle", () => sessionStorage.setItem(key, part.open ? "open" : "closed"));
  }

  const form = document.querySelector(".products-filters");
  if (!form) return;

  // Fields that say nothing stay out of the address.
  form.addEventListener("submit", () => {
    for (const field of form.querySelectorAll("input, select")) field.disabled = field.value.trim() === "";
  });
  window.addEventListener("pageshow", () => {
    for (const field of form.querySelectorAll("input, select")) field.disabled = false;
  });

  const attribute = form.elements.attribute;
  attribute.addEventListener("focus", async () => {
    const category = form.elements.category ? form.elements.category.value : "";
    const answer = await fetch(`${form.dataset.suggestions}?${new URLSearchParams({ category })}`);
    if (!answer.ok) return;
    const { pairs } = await answer.json();
    const options = pairs.map((pair) => Object.assign(document.createElement("option"), { value: pair }));
    document.getElementById("attribute-pairs").replaceChildren(...options);
  }, { once: true });
});
