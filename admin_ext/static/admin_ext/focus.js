// The browser gives the focus to a field marked `autofocus` while the page is still hidden (x-cloak on <html>), where it
// does not stay. Given again once Alpine shows the page, unless the person is typing somewhere already.
document.addEventListener("alpine:initialized", () => {
  requestAnimationFrame(() => {
    if (document.activeElement === document.body) {
      document.querySelector("[autofocus]")?.focus();
    }
  });
});
