// The page of a job moves by itself: its live part is asked for again, more seldom while nothing changes or nobody looks.
(() => {
  const live = document.getElementById("job-live");
  const lost = document.getElementById("job-lost");
  const FIRST = 700;
  const LONGEST = 15000;
  let pause = FIRST;
  let timer;
  let shown = "";

  function later() {
    clearTimeout(timer);
    timer = setTimeout(ask, pause);
  }

  async function ask() {
    if (document.hidden) {
      return;
    }
    try {
      const answer = await fetch(live.dataset.url, { headers: { Accept: "application/json" } });
      if (!answer.ok || answer.redirected) {
        throw new Error(String(answer.status));
      }
      const { html, done, state, unfinished } = await answer.json();
      const moved = `${state} ${done}`;
      pause = moved === shown ? Math.min(pause * 1.5, LONGEST) : FIRST;
      shown = moved;
      lost.hidden = true;
      // Whoever is about to press a button keeps it.
      if (!unfinished || !live.contains(document.activeElement)) {
        live.innerHTML = html;
      } else {
        renew(html);
      }
      if (unfinished) {
        later();
      }
    } catch {
      lost.hidden = false;
      pause = Math.min(pause * 2, LONGEST);
      later();
    }
  }

  function renew(html) {
    const fresh = document.createElement("template");
    fresh.innerHTML = html;
    for (const id of ["job-progress", "job-state", "job-counts"]) {
      const [old, now] = [document.getElementById(id), fresh.content.getElementById(id)];
      if (old && now) {
        old.replaceWith(now);
      }
    }
  }

  if (live && "unfinished" in live.dataset) {
    document.addEventListener("visibilitychange", () => {
      if (!document.hidden) {
        pause = FIRST;
        later();
      }
    });
    later();
  }
})();
