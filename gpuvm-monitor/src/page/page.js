"use strict";
// Draws what `activity.json` says, once a second. Texts of the program are only ever set as texts.
const states = ["halted", "running", "yielded", "blocked", "trapped"];
const levels = ["error", "warn", "info", "debug", "trace"];
const at = id => document.getElementById(id);

function node(name, attributes = {}, children = []) {
  const made = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (key === "text") made.textContent = value;
    else made.setAttribute(key, value);
  }
  made.append(...children);
  return made;
}

function count(value, unit = "") {
  if (value === null || value === undefined) return "–";
  for (const [size, prefix] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e4, "k"]]) {
    const scaled = prefix === "k" ? value / 1e3 : value / size;
    if (value >= size) return scaled.toFixed(scaled < 100 ? 1 : 0) + " " + prefix + unit;
  }
  return (Number.isInteger(value) ? value : value.toFixed(value < 10 ? 1 : 0)) + (unit ? " " + unit : "");
}

function bytes(value) {
  for (const [size, unit] of [[2 ** 40, "TiB"], [2 ** 30, "GiB"], [2 ** 20, "MiB"], [2 ** 10, "KiB"]]) {
    if (value >= size) return (value / size).toFixed(1) + " " + unit;
  }
  return value + " B";
}

function time(seconds) {
  if (seconds === null || seconds === undefined) return "–";
  if (seconds < 1e-3) return (seconds * 1e6).toFixed(1) + " µs";
  if (seconds < 1) return (seconds * 1e3).toFixed(1) + " ms";
  if (seconds < 120) return seconds.toFixed(1) + " s";
  const minutes = Math.floor(seconds / 60);
  return minutes < 120 ? minutes + " min" : Math.floor(minutes / 60) + " h " + minutes % 60 + " min";
}

const clock = millis => new Date(millis).toLocaleTimeString();
const engine = work => ({ text: (work.engine === "auto" ? "" : work.engine + " on ") + work.device, kind: "engine" });

/// A table of rows, each a list of cells: texts, or objects with a class and a text or children.
function table(id, heads, rows, none) {
  const made = [];
  if (rows.length) made.push(node("tr", {}, heads.map(([text, kind]) => node("th", { class: kind || "", text }))));
  else made.push(node("tr", {}, [node("td", { class: "text empty", text: none })]));
  for (const { kind, cells } of rows) {
    made.push(node("tr", { class: kind || "" }, cells.map((cell, column) => {
      const { text, kind, title, children } = typeof cell === "object" && cell !== null ? cell : { text: cell };
      return node("td", { class: (heads[column][1] || "") + " " + (kind || ""), text: text ?? "", ...(title ? { title } : {}) }, children || []);
    })));
  }
  at(id).replaceChildren(...made);
}

function bar(parts) {
  const all = parts.reduce((sum, [, size]) => sum + size, 0) || 1;
  const shown = parts.filter(([, size]) => size > 0);
  const title = shown.map(([name, size]) => count(size) + " " + name).join(", ");
  const pieces = shown.map(([name, size]) => {
    const piece = node("i", { class: name });
    piece.style.width = 100 * size / all + "%";
    return piece;
  });
  return { kind: "bar", title, children: [node("div", {}, pieces)] };
}

function progress(work) {
  if (work.kind === "plan") return bar([["halted", work.steps_done], ["running", work.steps - work.steps_done]]);
  return bar(states.map(state => [state, work.standing[state]]));
}

function chart(what, value, points) {
  const space = "http://www.w3.org/2000/svg";
  const drawing = document.createElementNS(space, "svg");
  drawing.setAttribute("viewBox", "0 0 600 56");
  drawing.setAttribute("preserveAspectRatio", "none");
  const top = Math.max(...points, 1e-9);
  // A minute at least, and later as long as there is.
  const span = Math.max(60, points.length - 1);
  const places = points.map((point, index) => [600 - 600 * (points.length - 1 - index) / span, 54 - 50 * point / top]);
  const line = places.map(([x, y]) => x + " " + y.toFixed(1)).join(" L");
  if (places.length > 1) {
    for (const [kind, path] of [["area", "M" + places[0][0] + " 56 L" + line + " L600 56 Z"], ["line", "M" + line]]) {
      const drawn = document.createElementNS(space, "path");
      drawn.setAttribute("class", kind);
      drawn.setAttribute("d", path);
      drawing.append(drawn);
    }
  }
  return node("div", { class: "chart" }, [
    node("div", { class: "what", text: what }), node("div", { class: "value", text: value }), drawing,
  ]);
}

function charts({ history, totals }) {
  const last = name => history[name][history[name].length - 1] ?? 0;
  const shown = [
    chart("VMs stopped a second", count(last("vms")), history.vms),
    chart("instructions a second", history.instructions.some(some => some > 0) ? count(last("instructions")) : "not counted", history.instructions),
    chart("messages a second", count(last("messages")), history.messages),
    chart("device memory", bytes(last("memory")), history.memory),
  ];
  shown[0].title = count(totals.launches) + " launches and " + count(totals.plans) + " plans so far, " + count(totals.vms) + " VMs, " + count(totals.traps) + " trapped";
  at("charts").replaceChildren(...shown);
}

function underWay(all) {
  table("under_way", [["", "text"], ["what", "text"], ["VMs"], ["step"], ["how they stand", "text"], ["instructions"], ["device"], ["time"], ["engine", "text"]],
    all.map(work => ({ cells: [
      work.kind,
      { text: work.name, kind: "name", title: work.stage },
      count(work.vms),
      work.kind === "plan" || work.steps > 1 ? work.steps_done + " of " + work.steps : "",
      progress(work),
      count(work.instructions), time(work.device_time),
      { text: time(work.time) + (work.advances ? "" : " (stands)") }, engine(work),
    ] })), "no launch and no plan");
}

function kernels(all) {
  table("kernels", [["kernel", "text"], ["is", "text"], ["actors"], ["queue", "text"], ["messages/s"], ["handled"], ["unreceived"], ["p50"], ["p99"], ["dead letters"], ["engine", "text"]],
    all.map(kernel => ({ cells: [
      { text: kernel.name, kind: "name" },
      { text: kernel.life, kind: kernel.reason ? "bad" : "" },
      count(kernel.actors) + (kernel.stopped_actors ? " (" + count(kernel.stopped_actors) + " stopped)" : ""),
      { ...bar([["running", kernel.queued], ["", kernel.capacity - kernel.queued]]), title: kernel.queued + " of " + kernel.capacity + ", at most " + kernel.most_queued + " so far" },
      count(kernel.messages_per_second), count(kernel.processed), count(kernel.unreceived),
      time(kernel.latency?.p50), time(kernel.latency?.p99),
      { text: count(kernel.dead_letters), kind: kernel.dead_letters ? "bad" : "" }, engine(kernel),
    ] })), "no ring kernel");
  const open = new Set([...document.querySelectorAll("#letters details[open]")].map(shown => shown.dataset.number));
  at("letters").replaceChildren(...all.filter(kernel => kernel.dead_letters).map(kernel => {
    const shown = kernel.last_dead_letters.map(letter => node("li", { text: letter }));
    const made = node("details", { "data-number": kernel.number }, [
      node("summary", { text: "the last dead letters of " + kernel.name }), node("ul", {}, shown),
    ]);
    made.open = open.has(String(kernel.number));
    return made;
  }));
  at("why").replaceChildren(...all.filter(kernel => kernel.reason || kernel.full).map(
    kernel => node("li", { text: kernel.name + ": " + (kernel.reason ?? kernel.full) })));
}

function ended(all) {
  table("ended", [["ended", "text"], ["", "text"], ["what", "text"], ["VMs"], ["steps"], ["instructions"], ["device"], ["time"], ["how", "text"], ["engine", "text"]],
    all.slice(-10).reverse().map(work => ({ cells: [
      clock(work.at), work.kind, { text: work.name, kind: "name" }, count(work.vms), work.steps_done, count(work.instructions), time(work.device_time), time(work.time),
      { text: work.ending.split("\n")[0].slice(0, 80), title: work.ending, kind: work.well ? "" : "bad" }, engine(work),
    ] })), "nothing yet");
}

function lines(all) {
  const most = levels.indexOf(at("level").value), wanted = at("filter").value.toLowerCase();
  const shown = all.filter(line => levels.indexOf(line.level) <= most
    && (line.text + " " + line.source + " " + (line.place ?? "")).toLowerCase().includes(wanted));
  table("lines", [["at", "text"], ["", "text"], ["of", "text"], ["VM"], ["place", "text"], ["", "text wide"]],
    shown.slice(-200).reverse().map(line => ({ kind: line.level, cells: [
      clock(line.at), line.level, line.source, line.vm ?? "", line.place ?? "", line.text,
    ] })), all.length ? "no line like that" : "nothing yet");
}

let last;
function draw(activity) {
  last = activity;
  document.title = activity.program + " – gpuvm";
  at("program").textContent = activity.program;
  at("process").textContent = "process " + activity.process + ", " + time(activity.uptime);
  charts(activity);
  underWay(activity.under_way);
  kernels(activity.kernels);
  ended(activity.ended);
  table("runtimes", [["device", "text"], ["", "text"], ["data"], ["work"], ["idle"]],
    activity.runtimes.map(of => ({ cells: [of.device, of.backend, bytes(of.data), bytes(of.work), bytes(of.idle)] })), "no runtime");
  lines(activity.lines);
}

async function look() {
  const state = at("state");
  try {
    const answer = await fetch("activity.json");
    if (!answer.ok) throw new Error(await answer.text());
    draw(await answer.json());
    state.textContent = "runs";
    state.className = "";
  } catch (error) {
    state.textContent = error instanceof TypeError ? "has ended, or does not answer" : error.message;
    state.className = "gone";
  }
  setTimeout(look, 1000);
}

at("key").replaceChildren(...states.map(state => {
  const shown = node("span", { text: state });
  shown.style.setProperty("--of", "var(--" + state + ")");
  return shown;
}));
for (const id of ["level", "filter"]) at(id).addEventListener("input", () => last && lines(last.lines));
look();
