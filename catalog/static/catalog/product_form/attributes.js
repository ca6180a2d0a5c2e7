"use strict";

// Attributes: names and values that the category declares, and that its other products have, are suggested.
(() => {
  const rows = document.getElementById("product-attributes");
  if (!rows) return;
  const list = rows.querySelector(".product-attribute-rows");
  const template = rows.querySelector("template");
  const expected = rows.querySelector(".product-expected");
  const category = document.getElementById("id_category");
  const names = document.getElementById("attribute-names");
  const values = document.getElementById("attribute-values");
  const known = { declared: [], pairs: [] };
  let asked = null;

  const nameOf = (row) => row.querySelector("input[name$=_name]").value.trim();
  const given = () => new Set([...list.children].map(nameOf));
  const options = (texts) => texts.map((text) => Object.assign(document.createElement("option"), { value: text }));

  function add(name = "") {
    const blank = [...list.children].find((row) => [...row.querySelectorAll("input")].every((field) => field.value === ""));
    if (!blank) list.append(template.content.cloneNode(true));
    const row = blank || list.lastElementChild;
    const [nameField, valueField] = row.querySelectorAll("input");
    nameField.value = name;
    (name ? valueField : nameField).focus();
    if (name) rows.dispatchEvent(new Event("rows-changed"));
    show();
  }

  // What is declared for the category and has no row yet.
  function show() {
    const there = given();
    const lacking = known.declared.map((each) => each.name).filter((name) => !there.has(name));
    const found = known.pairs.map(([name]) => name);
    names.replaceChildren(...options([...new Set([...lacking, ...found])].filter((name) => !there.has(name))));
    const buttons = lacking.map((name) => {
      const button = Object.assign(document.createElement("button"), { type: "button", textContent: `+ ${name}` });
      button.className = "product-chip";
      button.addEventListener("click", () => add(name));
      return button;
    });
    expected.replaceChildren(expected.dataset.word, ...buttons);
    expected.hidden = buttons.length === 0;
  }

  async function ask() {
    const wanted = category.value;
    if (wanted === asked) return;
    asked = wanted;
    const empty = { declared: [], pairs: [] };
    const answer = wanted ? await fetch(`${rows.dataset.suggestions}?${new URLSearchParams({ category: wanted })}`) : null;
    const { declared, pairs } = answer?.ok ? await answer.json() : empty;
    if (wanted !== asked) return;
    known.declared = declared;
    known.pairs = pairs.map((pair) => [pair.slice(0, pair.indexOf("=")), pair.slice(pair.indexOf("=") + 1)]);
    show();
  }

  function suggestValues(field) {
    const name = nameOf(field.closest("li"));
    const declared = known.declared.find((each) => each.name === name);
    const found = known.pairs.filter((pair) => pair[0] === name).map((pair) => pair[1]);
    const flags = declared?.type === "flag" ? [rows.dataset.yes, rows.dataset.no] : [];
    field.placeholder = declared?.unit || template.content.querySelector("input[name$=_value]").placeholder;
    values.replaceChildren(...options([...new Set([...flags, ...found])]));
    field.setAttribute("list", values.id);
  }

  list.addEventListener("focusin", async (event) => {
    const field = event.target.closest("input[name$=_value]");
    if (field) suggestValues(field);
    await ask();
    if (field && field === document.activeElement) suggestValues(field);
  });
  list.addEventListener("change", show);
  rows.addEventListener("rows-changed", show);
  category.addEventListener("change", ask);
  document.getElementById("add-attribute").addEventListener("click", () => add());
  // Enter in the last row goes on to a new one instead of sending the form.
  list.addEventListener("keydown", (event) => {
    if (event.key !== "Enter" || !event.target.matches("input")) return;
    event.preventDefault();
    if (event.target.matches("[name$=_name]")) event.target.nextElementSibling.focus();
    else add();
  });
  ask();
})();
