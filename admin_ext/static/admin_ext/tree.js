"use strict";

// The tree of categories: branches open and close, are dragged and renamed. Without this script its buttons are forms.
document.addEventListener("DOMContentLoaded", () => {
  const tree = document.getElementById("tree");
  if (!tree) return;
  const form = document.getElementById("tree-form");
  const told = document.getElementById("tree-told");
  const find = document.getElementById("tree-find");
  const KEY = "categories:closed";
  const OPEN_AFTER = 600;
  const closed = new Set(JSON.parse(sessionStorage.getItem(KEY) || "[]"));

  const items = () => [...tree.querySelectorAll(".tree-item")];
  const toggleOf = (item) => item.querySelector(":scope > .tree-row > .tree-toggle");
  const above = (item) => item.parentElement.closest(".tree-item");

  function draw() {
    for (const item of items()) {
      const toggle = toggleOf(item);
      if (toggle) toggle.setAttribute("aria-expanded", String(!closed.has(item.dataset.slug)));
    }
  }

  function setClosed(slugs, isClosed) {
    for (const slug of slugs) isClosed ? closed.add(slug) : closed.delete(slug);
    sessionStorage.setItem(KEY, JSON.stringify([...closed]));
    draw();
  }

  function search() {
    const words = find.value.trim().toLowerCase();
    tree.classList.toggle("is-searched", words !== "");
    for (const item of items()) item.classList.remove("is-found");
    if (!words) return;
    for (const item of items()) {
      if (!item.dataset.name.toLowerCase().includes(words) && !item.dataset.slug.includes(words)) continue;
      for (let each = item; each; each = above(each)) each.classList.add("is-found");
    }
  }

  function tell(text, isRefused) {
    told.textContent = text;
    told.classList.toggle("is-refused", isRefused);
    told.hidden = text === "";
  }

  async function send(edit, back) {
    const body = new FormData(form);
    body.set("edit", edit);
    try {
      const answer = await fetch(form.action, { method: "POST", body, headers: { Accept: "application/json" } });
      if (!answer.ok || answer.redirected) throw new Error(String(answer.status));
      const { html, told: text, refused } = await answer.json();
      tree.innerHTML = html;
      draw();
      search();
      tell(text, refused);
      if (back) tree.querySelector(back)?.focus();
    } catch {
      tell(told.dataset.failed, true);
    }
  }

  function rename(item) {
    const title = item.querySelector(":scope > .tree-row > .tree-title");
    const asked = document.getElementById("tree-rename").content.firstElementChild.cloneNode(true);
    const field = asked.querySelector("input");
    field.value = item.dataset.name;
    const row = title.parentElement;
    row.draggable = false;
    title.replaceWith(asked);
    field.focus();
    field.select();
    const leave = () => {
      asked.replaceWith(title);
      row.draggable = true;
      title.querySelector("a").focus();
    };
    asked.addEventListener("keydown", (event) => event.key === "Escape" && leave());
    asked.addEventListener("submit", (event) => {
      event.preventDefault();
      const { slug, name: seen } = item.dataset;
      send(JSON.stringify({ do: "rename", slug, seen, name: field.value }), `#c-${CSS.escape(slug)} .tree-name`);
    });
  }

  tree.addEventListener("click", (event) => {
    const toggle = event.target.closest(".tree-toggle");
    if (toggle) setClosed([toggle.closest(".tree-item").dataset.slug], toggle.getAttribute("aria-expanded") === "true");
    if (event.target.closest("[data-act=rename]")) rename(event.target.closest(".tree-item"));
  });
  document.addEventListener("click", (event) => {
    for (const menu of tree.querySelectorAll(".tree-menu[open]")) {
      if (!menu.querySelector("summary").contains(event.target)) menu.open = false;
    }
    for (const menu of tree.querySelectorAll(".tree-menu[open]")) {
      if (!menu.contains(event.target)) menu.open = false;
    }
  });
  tree.addEventListener("keydown", (event) => {
    const menu = event.target.closest(".tree-menu[open]");
    if (event.key === "Escape" && menu) {
      menu.open = false;
      menu.querySelector("summary").focus();
    }
  });
  for (const button of document.querySelectorAll("[data-all]")) {
    const slugs = () => items().filter(toggleOf).map((item) => item.dataset.slug);
    button.addEventListener("click", () => setClosed(slugs(), button.dataset.all === "close"));
  }
  find.addEventListener("input", search);
  draw();
  search();
  if (!form) return;

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    const button = event.submitter;
    const slug = button.closest(".tree-item").dataset.slug;
    send(button.value, `#c-${CSS.escape(slug)} > .tree-row ${button.dataset.act === "visibility" ? "summary" : `[data-act=${button.dataset.act}]`}`);
  });

  let dragged = null;
  let target = null;
  let waiting;

  // Where the category would come: beside the row or inside it, by the part of it that the pointer is over.
  function placeAt(event) {
    const row = event.target.closest?.(".tree-row");
    const item = row?.closest(".tree-item");
    if (!item || dragged.contains(item)) return null;
    const { top, height } = row.getBoundingClientRect();
    const part = (event.clientY - top) / height;
    return { item, row, where: part < 0.28 ? "before" : part > 0.72 ? "after" : "inside" };
  }

  function mark(place) {
    for (const row of tree.querySelectorAll("[data-drop]")) delete row.dataset.drop;
    if (place) place.row.dataset.drop = place.where;
    if (place?.item !== target?.item) {
      clearTimeout(waiting);
      if (place) waiting = setTimeout(() => setClosed([place.item.dataset.slug], false), OPEN_AFTER);
    }
    target = place;
  }

  tree.addEventListener("dragstart", (event) => {
    dragged = event.target.closest(".tree-item");
    if (!dragged) return;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", dragged.dataset.name);
    dragged.classList.add("is-dragged");
  });
  tree.addEventListener("dragover", (event) => {
    if (!dragged) return;
    const place = placeAt(event);
    mark(place);
    if (place) event.preventDefault();
  });
  tree.addEventListener("dragend", () => {
    mark(null);
    dragged?.classList.remove("is-dragged");
    dragged = null;
  });
  tree.addEventListener("drop", (event) => {
    if (!dragged) return;
    const place = placeAt(event);
    if (!place) return;
    event.preventDefault();
    const { slug, standing } = dragged.dataset;
    const { item, where } = place;
    const parent = where === "inside" ? item.dataset.slug : item.dataset.parent;
    // Itself may be the next one, and does not count.
    const next = item.nextElementSibling === dragged ? dragged.nextElementSibling : item.nextElementSibling;
    const before = { before: item.dataset.slug, after: next?.dataset.slug ?? "", inside: "" }[where];
    send(JSON.stringify({ do: "place", slug, parent, before, ...JSON.parse(standing) }));
  });
});
