// The stock sheet: a cell saves itself when it is left or Enter is pressed. Without this script each row has a button.
(() => {
  const sheet = document.getElementById("stock-sheet");
  const reason = document.getElementById("stock-reason");
  if (!sheet || !reason) {
    return;
  }
  document.getElementById("content-main").classList.add("stock-scripted");
  const words = sheet.dataset;
  const token = reason.elements.csrfmiddlewaretoken.value;
  const inputs = [...sheet.querySelectorAll("input[data-geozone]")];
  const perRow = sheet.tHead.rows[0].cells.length - 1;
  // One key for one wish, however often it is sent: a lost answer must not count twice.
  const wishes = new WeakMap();
  const busy = new WeakSet();

  const parts = (input) => {
    const cell = input.closest("td");
    return {
      cell,
      seen: cell.querySelector('input[name^="seen:"]'),
      reserved: cell.querySelector(".stock-reserved"),
      told: cell.querySelector(".stock-told"),
    };
  };

  function tell(input, state, text) {
    const { told } = parts(input);
    told.dataset.state = state;
    told.textContent = text;
  }

  function keyOf(input, wish) {
    if (wishes.get(input)?.wish !== wish) {
      const bytes = crypto.getRandomValues(new Uint8Array(16));
      wishes.set(input, { wish, key: [...bytes].map((byte) => byte.toString(16).padStart(2, "0")).join("") });
    }
    return wishes.get(input).key;
  }

  async function save(input) {
    const { cell, seen } = parts(input);
    const typed = input.value.trim();
    if (typed === seen.value || busy.has(input)) {
      return;
    }
    // A choice that waits is answered by its buttons; another number is another wish.
    if (cell.dataset.mine === typed) {
      return;
    }
    close(cell);
    busy.add(input);
    tell(input, "saving", words.saving);
    try {
      const answer = await fetch(words.url, {
        method: "POST",
        headers: { Accept: "application/json", "X-CSRFToken": token },
        body: new URLSearchParams({
          product: input.closest("tr").dataset.product,
          geozone: input.dataset.geozone,
          quantity: typed,
          seen: seen.value,
          key: keyOf(input, `${typed} ${seen.value}`),
          stock_reason: reason.elements.stock_reason.value,
        }),
      });
      if (!answer.ok || answer.redirected) {
        throw new Error(String(answer.status));
      }
      show(input, typed, await answer.json());
    } catch {
      tell(input, "refused", words.lost);
    } finally {
      busy.delete(input);
    }
    // Typed on while it was being saved.
    if (document.activeElement !== input && cell.querySelector(".stock-told").dataset.state === "saved") {
      save(input);
    }
  }

  function show(input, typed, came) {
    const { cell, seen, reserved } = parts(input);
    // Answered: the same typed again is meant again.
    wishes.delete(input);
    const goesOn = input.value.trim() !== typed;
    cell.dataset.mark = came.mark;
    reserved.textContent = came.reserved_text;
    if (came.state === "saved") {
      seen.value = String(came.quantity);
      if (!goesOn) {
        input.value = seen.value;
      }
      tell(input, "saved", words.saved);
      return;
    }
    tell(input, came.state, came.told);
    if (came.state === "overtaken") {
      seen.value = String(came.quantity);
      choose(input, cell, came);
    }
  }

  // Somebody was faster: what is there now, or mine.
  function choose(input, cell, came) {
    cell.dataset.mine = input.value.trim();
    const choice = document.createElement("div");
    choice.className = "stock-choice";
    const offer = (text, count, taken) => {
      const button = document.createElement("button");
      button.type = "button";
      button.className = "stock-button";
      button.textContent = text.replace("{count}", count);
      button.addEventListener("click", () => {
        close(cell);
        taken();
        input.focus();
      });
      choice.append(button);
    };
    offer(words.keep, came.quantity, () => {
      input.value = String(came.quantity);
      tell(input, "", "");
    });
    offer(words.write, came.mine, () => {
      input.value = String(came.mine);
      save(input);
    });
    cell.append(choice);
  }

  function close(cell) {
    delete cell.dataset.mine;
    cell.querySelector(".stock-choice")?.remove();
  }

  function go(input, by) {
    const next = inputs[inputs.indexOf(input) + by];
    next?.focus();
    return Boolean(next);
  }

  const isAtStart = (input) => input.selectionStart === 0;
  const isAtEnd = (input) => input.selectionEnd === input.value.length;
  const MOVES = {
    ArrowUp: (input) => go(input, -perRow),
    ArrowDown: (input) => go(input, perRow),
    ArrowLeft: (input) => isAtStart(input) && go(input, -1),
    ArrowRight: (input) => isAtEnd(input) && go(input, 1),
  };

  sheet.addEventListener("keydown", (event) => {
    const input = event.target;
    if (!inputs.includes(input)) {
      return;
    }
    if (event.key === "Enter") {
      event.preventDefault();
      if (!go(input, perRow)) {
        save(input);
      }
    } else if (event.key === "Escape") {
      close(parts(input).cell);
      input.value = parts(input).seen.value;
      tell(input, "", "");
      input.select();
    } else if (MOVES[event.key]?.(input)) {
      event.preventDefault();
    }
  });
  sheet.addEventListener("focusin", (event) => {
    if (inputs.includes(event.target)) {
      event.target.select();
    }
  });
  sheet.addEventListener("focusout", (event) => {
    if (inputs.includes(event.target)) {
      save(event.target);
    }
  });
  // The reason goes with every cell; Enter there only means that it is written.
  reason.addEventListener("submit", (event) => {
    event.preventDefault();
    inputs[0]?.focus();
  });
  // Whatever is still on its way must not be lost silently.
  addEventListener("beforeunload", (event) => {
    if (inputs.some((input) => busy.has(input) || input.value.trim() !== parts(input).seen.value)) {
      event.preventDefault();
    }
  });
})();
