"use strict";

// Images: uploaded one by one as soon as they are chosen or dropped, put in order by dragging or by buttons.
(() => {
  const rows = document.getElementById("product-images");
  if (!rows) return;
  const form = document.getElementById("product_form");
  const list = rows.querySelector(".product-image-rows");
  const template = rows.querySelector("template");
  const uploads = rows.querySelector(".product-uploads");
  const chooser = rows.querySelector("input[type=file]");
  const underWay = new Set();
  const changed = () => rows.dispatchEvent(new Event("rows-changed"));

  function say(text) {
    const line = Object.assign(document.createElement("li"), { textContent: text });
    uploads.append(line);
    return line;
  }

  function addRow(url, thumbnail) {
    const row = template.content.cloneNode(true).firstElementChild;
    const field = row.querySelector("input[name$=_url]");
    field.value = url;
    if (thumbnail) {
      field.type = "hidden";
      row.querySelector("img").src = thumbnail;
    }
    list.append(row);
    changed();
    return row;
  }

  async function answerTo(file) {
    if (file.size > Number(rows.dataset.mostBytes)) return { error: rows.dataset.tooLarge };
    const body = new FormData();
    body.append("picture", file);
    const headers = { "X-CSRFToken": form.elements.csrfmiddlewaretoken.value };
    const answer = await fetch(rows.dataset.upload, { method: "POST", body, headers });
    if (answer.status === 413) return { error: rows.dataset.tooLarge };
    const isJson = (answer.headers.get("content-type") || "").startsWith("application/json");
    return isJson ? answer.json() : { error: rows.dataset.failed };
  }

  async function upload(file) {
    const line = say(rows.dataset.loading.replace("{name}", file.name));
    const answer = await answerTo(file).catch(() => ({ error: rows.dataset.failed }));
    if (answer.error) {
      line.className = "product-refusal";
      line.textContent = `«${file.name}»: ${answer.error}`;
      return;
    }
    line.remove();
    const isThere = [...list.querySelectorAll("input[name$=_url]")].some((field) => field.value === answer.url);
    if (!isThere) addRow(answer.url, answer.thumbnail);
  }

  // One after the other: in the order in which they were chosen, and no crowd for the server.
  let queue = Promise.resolve();
  function take(files) {
    for (const line of uploads.querySelectorAll(".product-refusal")) line.remove();
    for (const file of files) {
      const done = queue.then(() => upload(file));
      queue = done;
      underWay.add(done);
      done.finally(() => underWay.delete(done));
    }
  }

  function move(row, by) {
    const other = by < 0 ? row.previousElementSibling : row.nextElementSibling;
    if (!other) return;
    if (by < 0) other.before(row);
    else other.after(row);
    placed(row);
  }

  function placed(row) {
    const place = [...list.children].indexOf(row) + 1;
    const told = rows.dataset.placed.replace("{place}", place).replace("{number}", list.children.length);
    const line = say(told);
    setTimeout(() => line.remove(), 3000);
    changed();
  }

  // Before it reaches the field: there Unfold would write the name of the file into the nearest field of text.
  rows.addEventListener("change", (event) => {
    if (event.target !== chooser) return;
    event.stopPropagation();
    take([...chooser.files]);
    chooser.value = "";
  }, { capture: true });
  document.getElementById("add-image").addEventListener("click", () => addRow("", "").querySelector("input").focus());
  list.addEventListener("click", (event) => {
    const button = event.target.closest("[data-move]");
    if (!button) return;
    move(button.closest("li"), Number(button.dataset.move));
    button.focus();
  });

  let dragged = null;
  rows.addEventListener("dragstart", (event) => {
    dragged = event.target.closest(".product-image");
    if (!dragged) return;
    event.dataTransfer.effectAllowed = "move";
    event.dataTransfer.setData("text/plain", "");
    event.dataTransfer.setDragImage(dragged, 20, 20);
    dragged.classList.add("is-dragged");
  });
  rows.addEventListener("dragover", (event) => {
    event.preventDefault();
    const over = dragged && event.target.closest(".product-image");
    if (!over || over === dragged) return;
    const isBehind = dragged.compareDocumentPosition(over) & Node.DOCUMENT_POSITION_FOLLOWING;
    if (isBehind) over.after(dragged);
    else over.before(dragged);
  });
  rows.addEventListener("drop", (event) => {
    event.preventDefault();
    if (!dragged && event.dataTransfer.files.length) take([...event.dataTransfer.files]);
  });
  rows.addEventListener("dragend", () => {
    if (!dragged) return;
    dragged.classList.remove("is-dragged");
    placed(dragged);
    dragged = null;
  });

  // Whoever saves while a picture is on its way means it too. Asked before Unfold lets the page go.
  document.addEventListener("submit", async (event) => {
    if (event.target !== form || underWay.size === 0) return;
    event.preventDefault();
    event.stopImmediatePropagation();
    const button = event.submitter;
    await Promise.allSettled([...underWay]);
    if (!uploads.querySelector(".product-refusal")) form.requestSubmit(button);
  }, { capture: true });
})();
