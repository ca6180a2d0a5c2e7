"use strict";

// The attributes of a category: another row is a copy of the last one, emptied.
document.addEventListener("DOMContentLoaded", () => {
  const rows = document.querySelector("#attributes tbody");
  const sent = document.getElementById("id_rows_sent");
  const add = document.getElementById("add-attribute");
  if (!rows || !sent || !add) return;

  add.addEventListener("click", () => {
    const number = rows.children.length;
    const row = rows.lastElementChild.cloneNode(true);
    for (const told of row.querySelectorAll(".tree-refusal")) told.remove();
    for (const field of row.querySelectorAll("input, select")) {
      field.name = field.name.replace(/\d+$/, number);
      field.id = field.id.replace(/\d+$/, number);
      if (field.type === "checkbox") field.checked = true;
      else if (field.name.startsWith("position-")) field.value = Number(field.value) + 10;
      else if (field.tagName === "INPUT") field.value = "";
    }
    for (const label of row.querySelectorAll("label")) label.htmlFor = label.htmlFor.replace(/\d+$/, number);
    rows.append(row);
    sent.value = number + 1;
    row.querySelector("input").focus();
  });

  // Options belong to a choice only.
  const follow = () => {
    for (const type of rows.querySelectorAll("select")) {
      type.closest("tr").querySelector("[name^=options-]").disabled = type.value !== "choice";
    }
  };
  rows.addEventListener("change", follow);
  new MutationObserver(follow).observe(rows, { childList: true });
  follow();
});
