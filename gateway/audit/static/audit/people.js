// Offers members of staff under the field «who», by what has been typed so far.
document.addEventListener("DOMContentLoaded", () => {
  const offered = document.getElementById("audit-people");
  const input = document.querySelector('input[list="audit-people"]');
  if (!offered || !input) {
    return;
  }
  let asked = 0;
  let timer;

  async function offer() {
    const turn = ++asked;
    const answer = await fetch(`${offered.dataset.url}?${new URLSearchParams({ q: input.value })}`);
    if (!answer.ok || turn !== asked) {
      return;
    }
    const { people } = await answer.json();
    offered.replaceChildren(
      ...people.map((person) => {
        const option = document.createElement("option");
        option.value = person.email;
        option.label = person.name ? `${person.name} · ${person.email}` : person.email;
        return option;
      })
    );
  }

  input.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(offer, 200);
  });
});
