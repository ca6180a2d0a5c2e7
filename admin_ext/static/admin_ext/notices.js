// «Your job has ended», on whatever page its owner is. Asks only while there is something to ask for: the server sets a
// cookie with the first job, and takes it away with the last.
(() => {
  const FIRST = 4000;
  const LONGEST = 60000;
  const isDue = () => document.cookie.split("; ").includes("open_jobs=1");
  const own = document.getElementById("job-live");
  let pause = FIRST;
  let timer;
  let box;

  function later() {
    clearTimeout(timer);
    if (isDue()) {
      timer = setTimeout(ask, pause);
    }
  }

  async function send(options) {
    const answer = await fetch("/admin/jobs/job/notices/", { headers: { Accept: "application/json" }, ...options });
    if (!answer.ok || answer.redirected) {
      throw new Error(String(answer.status));
    }
    return answer.json();
  }

  async function ask() {
    if (document.hidden) {
      return;
    }
    try {
      show((await send()).ended);
      pause = Math.min(pause * 1.2, LONGEST);
    } catch {
      pause = LONGEST;
    }
    later();
  }

  async function acknowledge(id, toast) {
    toast.remove();
    const token = document.cookie.split("; ").find((each) => each.startsWith("csrftoken="))?.slice(10) ?? "";
    const body = new URLSearchParams({ job: id });
    await send({ method: "POST", body, headers: { "X-CSRFToken": token } }).catch(() => {});
  }

  function show(ended) {
    box?.remove();
    // Its own page tells by itself.
    const told = ended.filter(({ url }) => !own || url !== window.location.pathname);
    if (!told.length) {
      return;
    }
    box = document.createElement("div");
    box.className = "job-toasts";
    box.setAttribute("role", "status");
    for (const { id, told: text, title, url, state } of told) {
      const toast = document.createElement("div");
      toast.className = `job-toast job-toast-${state}`;
      const link = document.createElement("a");
      link.href = url;
      link.textContent = text;
      const about = document.createElement("span");
      about.textContent = title;
      const close = document.createElement("button");
      close.type = "button";
      close.textContent = "×";
      close.setAttribute("aria-label", text);
      close.addEventListener("click", () => acknowledge(id, toast));
      toast.append(link, about, close);
      box.append(toast);
    }
    document.body.append(box);
  }

  document.addEventListener("visibilitychange", () => {
    if (!document.hidden) {
      pause = FIRST;
      later();
    }
  });
  if (isDue()) {
    ask();
  }
})();
