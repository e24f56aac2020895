// Sorting and the slider. The page is whole without it.
"use strict";
const number = (text) => {
  const found = text.replace(/,/g, "").replace(/\u2212/g, "-").match(/^[+-]?\d+(\.\d+)?/);
  return found ? parseFloat(found[0]) : null;
};
for (const table of document.querySelectorAll("table.dal-sortable")) {
  const body = table.tBodies[0];
  [...table.tHead.rows[0].cells].forEach((head, column) => {
    const button = document.createElement("button");
    button.type = "button";
    button.append(...head.childNodes);
    head.append(button);
    button.addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending" ? -1 : 1;
      for (const other of table.tHead.rows[0].cells) other.removeAttribute("aria-sort");
      head.setAttribute("aria-sort", down === 1 ? "ascending" : "descending");
      const key = (row) => row.cells[column].textContent.trim();
      const order = (a, b) => {
        const [x, y] = [number(a), number(b)];
        return x !== null && y !== null ? x - y : a.localeCompare(b);
      };
      body.append(...[...body.rows].sort((a, b) => down * order(key(a), key(b))));
    });
  });
}
for (const slider of document.querySelectorAll(".dal-slider")) {
  const [input, output] = [slider.querySelector("input"), slider.querySelector("output")];
  const steps = [...slider.querySelectorAll("li")];
  const show = () => {
    const step = steps[input.value];
    output.textContent = step.textContent;
    input.setAttribute("aria-valuetext", step.textContent);
    for (const mark of document.querySelectorAll("[data-step]"))
      mark.classList.toggle("dal-chosen", mark.dataset.step === step.dataset.number);
  };
  slider.querySelector("ol").hidden = true;
  slider.querySelector("div").hidden = false;
  input.addEventListener("input", show);
  show();
}
