// A click on an activation makes it as wide as the page, and a click on the lowest one shows all again.
for (const flame of document.querySelectorAll(".flame")) {
  flame.addEventListener("click", (event) => {
    const data = event.target.dataset;
    if (data.left === undefined) return;
    const [from, width] = [Number(data.left), Number(data.width)];
    for (const box of flame.children) {
      const left = Math.max(Number(box.dataset.left), from);
      const right = Math.min(Number(box.dataset.left) + Number(box.dataset.width), from + width);
      box.hidden = right - left < width / 5000;
      box.style.left = 100 * (left - from) / width + "%";
      box.style.width = 100 * (right - left) / width + "%";
    }
  });
}
