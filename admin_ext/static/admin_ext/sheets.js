// A file may be dropped anywhere into the frame; one that is too large is not sent at all.
(() => {
  const form = document.getElementById("sheet-form");
  if (!form) {
    return;
  }
  const [frame, input] = [form.querySelector(".sheet-drop"), form.querySelector("[type=file]")];
  const [chosen, tooLarge] = [document.getElementById("sheet-chosen"), document.getElementById("sheet-too-large")];

  form.classList.add("is-scripted");
  // Unfold would write the name into a text field of its own, which is not here, and fails without it.
  input.hasChangeListener = true;

  function show() {
    const file = input.files[0];
    const isTooLarge = Boolean(file) && file.size > Number(form.dataset.limit);
    chosen.textContent = file ? file.name : chosen.dataset.empty;
    tooLarge.hidden = !isTooLarge;
    tooLarge.textContent = isTooLarge ? form.dataset.tooLarge : "";
    return !isTooLarge;
  }

  for (const [event, isOver] of [["dragover", true], ["dragleave", false], ["drop", false]]) {
    frame.addEventListener(event, (dragged) => {
      dragged.preventDefault();
      frame.classList.toggle("is-over", isOver);
    });
  }
  frame.addEventListener("drop", (dropped) => {
    if (dropped.dataTransfer.files.length) {
      input.files = dropped.dataTransfer.files;
      show();
    }
  });
  input.addEventListener("change", show);
  form.addEventListener("submit", (sending) => {
    if (!show()) {
      sending.preventDefault();
    }
  });
  show();
})();
