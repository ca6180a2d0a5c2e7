"use strict";

// What the buyer will pay, while the prices are typed: as catalog/admin/product_form/prices.py tells it of what is stored.
(() => {
  const note = document.querySelector(".product-effective");
  const base = document.getElementById("id_base_price");
  const sale = document.getElementById("id_sale_price");
  if (!note || !base || !sale) return;

  // In kopecks, so that no fraction is lost; null for nothing, NaN for what is no amount.
  function kopecks(text) {
    const figures = text.normalize("NFKC").replace(/\s/g, "").replace(/(?:₽|руб\.?|р\.?|rub)$/i, "");
    if (figures === "") return null;
    const found = /^(\d{1,10})(?:[.,](\d{0,2})0*)?$/.exec(figures);
    return found ? Number(found[1]) * 100 + Number((found[2] || "").padEnd(2, "0")) : NaN;
  }

  function money(amount) {
    const english = note.dataset.language === "en";
    const roubles = String(Math.floor(amount / 100)).replace(/\B(?=(\d{3})+$)/g, english ? "," : " ");
    const rest = String(amount % 100).padStart(2, "0");
    return english ? `${roubles}.${rest} RUB` : `${roubles},${rest} ₽`;
  }

  function percentOff(whole, price) {
    const rounded = Math.floor((200 * (whole - price) + whole) / (2 * whole));
    return Math.min(Math.max(rounded, 1), 99);
  }

  function tell() {
    const whole = kopecks(base.value);
    const reduced = kopecks(sale.value);
    const isUnclear = !whole || Number.isNaN(whole) || Number.isNaN(reduced) || reduced === 0;
    note.classList.toggle("is-wrong", !isUnclear && reduced !== null && reduced >= whole);
    if (isUnclear) note.textContent = "";
    else if (reduced === null) note.textContent = note.dataset.plain.replace("{price}", money(whole));
    else if (reduced >= whole) note.textContent = note.dataset.notBelow;
    else note.textContent = note.dataset.reduced.replace("{price}", money(reduced)).replace("{percent}", percentOff(whole, reduced));
  }

  for (const field of [base, sale]) field.addEventListener("input", tell);
  tell();
})();
