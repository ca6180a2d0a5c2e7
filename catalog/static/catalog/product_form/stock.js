"use strict";

// A quantity is typed anew, or moved by + and −, which write a change such as «+2»; beside it stands what it will become.
(() => {
  const table = document.getElementById("product-stock");
  if (!table) return;
  table.classList.add("is-live");

  // {pieces} for a number, {move} for a change, null for anything else.
  function parsed(text) {
    const found = /^([+\-−–]?)(\d{1,9})$/.exec(text.replace(/\s/g, ""));
    if (!found) return null;
    const number = Number(found[2]);
    if (!found[1]) return { pieces: number };
    return { move: found[1] === "+" ? number : -number };
  }

  function signed(move) {
    return move < 0 ? `−${-move}` : `+${move}`;
  }

  function tell(row) {
    const field = row.querySelector("input");
    const counted = Number(row.dataset.quantity || 0);
    const reserved = Number(row.dataset.reserved || 0);
    const typed = parsed(field.value);
    const becomes = typed ? typed.pieces ?? counted + typed.move : counted;
    const note = row.querySelector(".product-becomes");
    const isSame = !typed || (becomes === counted && typed.move === undefined);
    const isBelow = !isSame && becomes < reserved;
    note.classList.toggle("is-wrong", isBelow || becomes < 0);
    if (isSame) note.textContent = "";
    else if (isBelow) note.textContent = table.dataset.below;
    else note.textContent = table.dataset.becomes.replace("{quantity}", becomes).replace("{available}", becomes - reserved);
  }

  // One press moves by one; back at nothing, the field says again what it said.
  function step(row, by) {
    const field = row.querySelector("input");
    const typed = parsed(field.value);
    const isUntouched = field.value === field.defaultValue && !(typed && typed.move !== undefined);
    if (typed && typed.pieces !== undefined && !isUntouched) {
      field.value = String(Math.max(0, typed.pieces + by));
    } else {
      const move = (typed && typed.move !== undefined ? typed.move : 0) + by;
      field.value = move === 0 ? row.dataset.quantity : signed(move);
    }
    field.dispatchEvent(new Event("input", { bubbles: true }));
  }

  for (const row of table.querySelectorAll("tbody tr")) {
    row.querySelector("input").addEventListener("input", () => tell(row));
    for (const button of row.querySelectorAll("[data-step]")) {
      button.addEventListener("click", () => step(row, Number(button.dataset.step)));
    }
    tell(row);
  }
})();
