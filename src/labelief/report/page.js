"use strict";
for (const table of document.querySelectorAll("table.sortable")) {
  const body = table.tBodies[0];
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.querySelector("button").addEventListener("click", () => {
      const down = head.getAttribute("aria-sort") === "ascending";
      heads.forEach((other) => other.removeAttribute("aria-sort"));
      head.setAttribute("aria-sort", down ? "descending" : "ascending");
      const key = (row) => row.cells[column].dataset.value ?? row.cells[column].textContent;
      const rows = [...body.rows].map((row) => [key(row), row]);
      const numeric = rows.every(([value]) => value === "" || !Number.isNaN(Number(value)));
      const way = down ? -1 : 1;
      rows.sort(([a], [b]) => way * (numeric ? Number(a) - Number(b) : a.localeCompare(b)));
      body.append(...rows.map(([, row]) => row));
    });
  });
  const filter = document.getElementById(table.dataset.filter);
  const count = document.getElementById(table.dataset.count);
  filter?.addEventListener("input", () => {
    const wanted = filter.value.trim().toLowerCase();
    let shown = 0;
    for (const row of body.rows) {
      row.hidden = !row.textContent.toLowerCase().includes(wanted);
      shown += row.hidden ? 0 : 1;
    }
    count.textContent = `${shown} of ${body.rows.length} rows`;
  });
}
