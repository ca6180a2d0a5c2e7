// Fields that mean nothing for what was chosen are out of the way. Without this script all of them stand there.
(() => {
  const form = document.getElementById("bulk-form");
  if (!form) {
    return;
  }
  const chosen = (name) => form.elements[name]?.value ?? "";
  const moves = () => ["percent", "amount", "set", "discount"].includes(chosen("price_action"));
  const WHEN = {
    number: moves,
    prices: () => ["percent", "amount", "set"].includes(chosen("price_action")) || (!chosen("price_action") && chosen("ending")),
    direction: () => chosen("ending"),
    attribute_name: () => chosen("attribute_action"),
    attribute_value: () => chosen("attribute_action") === "set",
    geozone: () => chosen("stock_action"),
    pieces: () => chosen("stock_action"),
  };

  function show() {
    for (const [name, isMeant] of Object.entries(WHEN)) {
      const field = form.querySelector(`[data-field="${name}"]`);
      if (field) {
        field.hidden = !isMeant();
      }
    }
  }

  form.addEventListener("change", show);
  show();
})();
