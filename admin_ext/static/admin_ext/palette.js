// The search box over every page: «/» or Ctrl-K opens it, arrows choose, Enter opens, Esc closes.
(() => {
  const box = document.getElementById("palette");
  const input = document.getElementById("palette-input");
  const results = document.getElementById("palette-results");
  // Long enough that a word typed in one go is asked for once.
  const PAUSE = 200;
  let timer;
  let asking;
  let asked = "";
  let opensWhenFound = false;

  const hits = () => [...results.querySelectorAll("[role=option]")];
  const chosen = () => results.querySelector('[aria-selected="true"]');

  function choose(hit) {
    chosen()?.setAttribute("aria-selected", "false");
    hit?.setAttribute("aria-selected", "true");
    hit?.scrollIntoView({ block: "nearest" });
  }

  function show(html) {
    results.innerHTML = html;
    choose(hits()[0]);
    input.setAttribute("aria-expanded", String(hits().length > 0));
  }

  function open() {
    if (!box.open) {
      box.showModal();
      input.focus();
    }
  }

  function close() {
    box.close();
    // Else the keys go to the hidden field until the page is next drawn, and a quick «/» is typed there.
    input.blur();
  }

  function forget() {
    clearTimeout(timer);
    asking?.abort();
    asked = input.value = "";
    opensWhenFound = false;
    show("");
  }

  function follow(hit) {
    if (hit) {
      window.location.assign(hit.href);
    }
  }

  async function find() {
    clearTimeout(timer);
    asking?.abort();
    const text = input.value.trim();
    const question = (asking = new AbortController());
    if (!text) {
      asked = text;
      show("");
      return;
    }
    try {
      const answer = await fetch(`${box.dataset.url}?${new URLSearchParams({ s: text })}`, {
        cache: "no-store",
        signal: question.signal,
      });
      if (answer.redirected) {
        window.location.reload(); // signed out meanwhile
        return;
      }
      if (!answer.ok) {
        throw new Error(answer.status);
      }
      const html = await answer.text();
      asked = text;
      show(html);
    } catch (error) {
      if (error.name !== "AbortError") {
        results.textContent = box.dataset.failed;
      }
      return;
    }
    if (opensWhenFound) {
      opensWhenFound = false;
      const found = hits();
      follow(results.querySelector("[data-exact]") ?? (found.length === 1 ? found[0] : null));
    }
  }

  function enter() {
    if (input.value.trim() === asked && asked) {
      const exact = results.querySelector("[data-exact]");
      follow(chosen() === hits()[0] && exact ? exact : chosen());
    } else if (input.value.trim()) {
      opensWhenFound = true;
      find();
    }
  }

  function move(by) {
    const all = hits();
    const place = all.indexOf(chosen()) + by;
    choose(all[Math.min(Math.max(place, 0), all.length - 1)]);
  }

  function isTyping(target) {
    return target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName);
  }

  input.addEventListener("input", () => {
    opensWhenFound = false;
    clearTimeout(timer);
    timer = setTimeout(find, PAUSE);
  });

  input.addEventListener("keydown", (event) => {
    const does = { ArrowDown: () => move(1), ArrowUp: () => move(-1), Enter: enter, Escape: close }[event.key];
    if (does && !event.isComposing) {
      event.preventDefault();
      does();
    }
  });

  results.addEventListener("mousemove", (event) => choose(event.target.closest("[role=option]") ?? chosen()));
  box.addEventListener("close", forget);
  box.addEventListener("click", (event) => {
    if (event.target === box) {
      close();
    }
  });

  document.addEventListener("keydown", (event) => {
    // By the place of the key: with Russian letters on the keyboard the same keys are «.» and «л».
    const isSlash = (event.key === "/" || event.code === "Slash") && !event.ctrlKey && !event.metaKey && !event.altKey;
    const isShortcut = event.code === "KeyK" && (event.ctrlKey || event.metaKey) && !event.shiftKey && !event.altKey;
    const isOccupied = document.querySelector("dialog[open]");
    if (!isOccupied && (isShortcut || (isSlash && !event.shiftKey && !isTyping(event.target)))) {
      event.preventDefault();
      open();
    }
  });

  for (const opener of document.querySelectorAll("[data-opens-palette]")) {
    opener.addEventListener("click", open);
  }
})();
