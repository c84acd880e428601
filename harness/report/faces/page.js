// Makes the tables of queries out of the page's data. Text only ever becomes text:
// nothing here parses markup.
"use strict";
(() => {
  const PAGE = 100;
  const data = JSON.parse(document.getElementById("data").textContent) || {};

  const make = (name, text, attributes = {}) => {
    const element = document.createElement(name);
    if (text !== undefined && text !== null) element.textContent = text;
    for (const [key, value] of Object.entries(attributes)) {
      element.setAttribute(key, value);
    }
    return element;
  };

  const written = (value, column) => {
    if (value === null) return "–";
    if (column.kind === "text") return value;
    const text = value.toFixed(column.digits);
    return column.kind === "change" && value > 0 ? `+${text}` : text;
  };

  const before = (one, other) => {
    // What was not measured comes last, whichever way the others are sorted.
    if (one === null || other === null) return null;
    if (typeof one === "number") return one - other;
    return one.localeCompare(other, "en", { numeric: true });
  };

  class Table {
    constructor(place, content) {
      this.content = content;
      this.place = place;
      this.sorted = content.sort;
      this.chosen = new Map();
      this.words = "";
      this.most = PAGE;
      this.open = new Set();
      this.build();
      this.fill();
    }

    build() {
      const controls = make("div", null, { class: "controls" });
      const find = make("input", null, { type: "search", autocomplete: "off" });
      find.addEventListener("input", () => {
        this.words = find.value.toLowerCase();
        this.again();
      });
      controls.append(this.labelled("Find", find));
      this.content.columns.forEach((column, place) => {
        if (column.choose) controls.append(this.chooser(column, place));
      });
      this.count = make("span", null, { class: "count", role: "status" });
      controls.append(this.count);

      this.head = make("tr");
      this.content.columns.forEach((column, place) => {
        const cell = make("th", null, { scope: "col" });
        if (column.kind !== "text") cell.className = "figure";
        const button = make("button", column.title, { type: "button" });
        button.addEventListener("click", () => this.sort(place));
        cell.append(button);
        this.head.append(cell);
      });
      const table = make("table");
      const head = make("thead");
      head.append(this.head);
      this.body = make("tbody");
      table.append(head, this.body);
      const scroll = make("div", null, {
        class: "scroll", tabindex: "0", role: "group", "aria-label": "Queries",
      });
      scroll.append(table);
      this.more = make("button", "", { type: "button", class: "more" });
      this.more.addEventListener("click", () => {
        this.most = Infinity;
        this.fill();
      });
      this.place.replaceChildren(controls, scroll, this.more);
    }

    labelled(title, control) {
      const label = make("label", title);
      label.append(control);
      return label;
    }

    chooser(column, place) {
      const select = make("select");
      select.append(make("option", "all", { value: "" }));
      const seen = new Set(this.content.rows.map((row) => row[place]));
      [...seen].filter((each) => each !== null).forEach((value, index) => {
        const option = make("option", value, { value: String(index + 1) });
        select.append(option);
      });
      const values = [...seen].filter((each) => each !== null);
      select.addEventListener("change", () => {
        if (select.value) this.chosen.set(place, values[Number(select.value) - 1]);
        else this.chosen.delete(place);
        this.again();
      });
      return this.labelled(column.title, select);
    }

    sort(place) {
      const down = this.content.columns[place].kind !== "text";
      const same = this.sorted && this.sorted[0] === place;
      this.sorted = [place, same ? !this.sorted[1] : down];
      this.again();
    }

    again() {
      this.most = PAGE;
      this.fill();
    }

    found() {
      const rows = this.content.rows.map((row, index) => [row, index]);
      const kept = rows.filter(([row]) => {
        for (const [place, value] of this.chosen) {
          if (row[place] !== value) return false;
        }
        return !this.words || row.some((cell) =>
          typeof cell === "string" && cell.toLowerCase().includes(this.words));
      });
      if (!this.sorted) return kept;
      const [place, down] = this.sorted;
      return kept.sort(([one, first], [other, second]) => {
        const a = one[place], b = other[place];
        const order = before(a, b);
        if (order === null) return (a === null) - (b === null) || first - second;
        return (down ? -order : order) || first - second;
      });
    }

    fill() {
      const rows = this.found();
      const shown = rows.slice(0, this.most);
      const all = this.content.rows.length.toLocaleString("en");
      this.count.textContent = `${rows.length.toLocaleString("en")} of ${all} rows`;
      this.more.textContent = `Show all ${rows.length.toLocaleString("en")} rows`;
      this.more.hidden = shown.length === rows.length;
      [...this.head.children].forEach((cell, place) => {
        if (this.sorted && this.sorted[0] === place) {
          cell.setAttribute("aria-sort", this.sorted[1] ? "descending" : "ascending");
        } else cell.removeAttribute("aria-sort");
      });
      this.body.replaceChildren(...shown.flatMap(([row, index]) =>
        this.rows(row, index)));
    }

    rows(row, index) {
      const line = make("tr");
      row.forEach((value, place) => {
        const column = this.content.columns[place];
        const cell = make(place ? "td" : "th");
        if (!place) {
          cell.setAttribute("scope", "row");
          cell.append(this.opener(value, index));
        } else {
          const inner = column.kind === "text" ? make("bdi") : cell;
          inner.textContent = written(value, column);
          if (inner !== cell) cell.append(inner);
        }
        if (column.kind !== "text") cell.classList.add("figure");
        if (column.kind === "change" && value) {
          cell.classList.add(value < 0 ? "loss-text" : "gain-text");
        }
        line.append(cell);
      });
      return this.open.has(index) ? [line, this.detail(index)] : [line];
    }

    opener(value, index) {
      const button = make("button", null, {
        type: "button", "aria-expanded": String(this.open.has(index)),
      });
      button.append(make("bdi", value));
      button.addEventListener("click", () => {
        const line = button.closest("tr");
        if (this.open.delete(index)) line.nextElementSibling.remove();
        else {
          this.open.add(index);
          line.after(this.detail(index));
        }
        button.setAttribute("aria-expanded", String(this.open.has(index)));
      });
      return button;
    }

    detail(index) {
      const line = make("tr", null, { class: "detail" });
      const cell = make("td", null, { colspan: String(this.content.columns.length) });
      for (const ranking of this.content.details[index]) {
        cell.append(make("h4", ranking.title));
        if (ranking.hits.length) {
          const list = make("ol", null, { class: "hits" });
          ranking.hits.forEach((hit) => list.append(this.hit(hit)));
          cell.append(list);
        } else cell.append(make("p", "Nothing came back."));
        for (const note of ranking.notes) cell.append(make("p", note, { class: "note" }));
      }
      line.append(cell);
      return line;
    }

    hit([document_, score, grade]) {
      const item = make("li");
      const name = make("bdi", document_);
      if (grade) name.className = "relevant";
      item.append(name);
      const facts = [];
      if (score !== null) facts.push(`score ${score.toPrecision(5)}`);
      if (grade !== null) facts.push(`grade ${grade}`);
      if (facts.length) item.append(make("span", `  ${facts.join(", ")}`, { class: "note" }));
      return item;
    }
  }

  for (const place of document.querySelectorAll("[data-table]")) {
    new Table(place, data[place.dataset.table]);
  }

  // A folded part would be missing on paper.
  addEventListener("beforeprint", () => {
    for (const details of document.querySelectorAll("details")) details.open = true;
  });
})();
