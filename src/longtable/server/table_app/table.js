"use strict";
// What agents and people wrote is only ever set as text. The page asks its host for two resources and to open one
// link, and for nothing else; reading a resource does not count as an agent's having been told.
const COLUMNS = [
  ["Pending", ["pending"]],
  ["In progress", ["in_progress"]],
  ["Blocked", ["blocked", "failed"]],
  ["Done", ["completed", "cancelled"]],
];
const MOST_SHOWN = 30;
const LONGEST = 300;
const PLACES = ["--color-background-primary", "--color-background-secondary", "--color-text-primary",
  "--color-text-secondary", "--color-border-primary", "--font-sans"];

const part = (id) => document.getElementById(id);
const said = (name) => document.querySelector(`meta[name="longtable-${name}"]`).content;
const waiting = new Map();
let lastId = 0;
let host = {};
let session = null;

function send(message) {
  window.parent.postMessage({ jsonrpc: "2.0", ...message }, "*");
}

function ask(method, params) {
  lastId += 1;
  const id = lastId;
  send({ id, method, params });
  return new Promise((resolve, reject) => waiting.set(id, { resolve, reject }));
}

function element(name, text, className) {
  const made = document.createElement(name);
  if (text) made.textContent = text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text;
  if (className) made.className = className;
  return made;
}

function say(text) {
  part("state").textContent = text;
}

function drawList(list, items, draw, total = items.length) {
  const shown = items.slice(0, MOST_SHOWN).map(draw);
  if (total > shown.length) shown.push(element("li", `and ${total - shown.length} more`, "soft"));
  list.replaceChildren(...shown);
}

function drawQuestions(questions) {
  part("questions-part").hidden = false;
  drawList(part("questions"), questions, (question) => {
    const item = element("li", "", question.blocking ? "urgent" : "");
    const facts = [question.id, `asked by ${question.asked_by}`, question.blocking ? "somebody waits for it" : ""];
    item.append(element("div", question.question), element("div", facts.filter(Boolean).join(" · "), "soft"));
    return item;
  });
  if (questions.length === 0) part("questions").append(element("li", "Nothing waits for a person.", "soft"));
}

function drawTask(task) {
  const item = element("li", "", task.priority === "high" ? "urgent" : "");
  const who = task.assigned_to ? `with ${task.assigned_to}` : "";
  const waits = task.blocked_by?.length ? `waits for ${task.blocked_by.slice(0, 5).join(", ")}` : "";
  const word = ["failed", "cancelled"].includes(task.status) ? task.status : "";
  const facts = [task.id, word, task.priority === "high" ? "high priority" : "", who, waits];
  item.append(element("div", task.description), element("div", facts.filter(Boolean).join(" · "), "soft"));
  return item;
}

function drawBoard(columns) {
  part("plan-part").hidden = false;
  part("board").replaceChildren(...columns.map(([title, tasks, total]) => {
    const column = element("section");
    const heading = element("h3", title);
    const list = element("ul");
    drawList(list, tasks, drawTask, total);
    column.append(heading, list);
    return column;
  }));
}

function drawPlan({ tasks, summary }) {
  drawCounts(summary);
  if (summary.total === 0) return;
  drawBoard(COLUMNS.map(([title, held]) => {
    const total = held.reduce((sum, status) => sum + summary[status], 0);
    return [title, tasks.filter((task) => held.includes(task.status)), total];
  }));
}

function drawCounts(counts) {
  const words = Object.entries(counts).filter(([name, count]) => count && !["total", "ready"].includes(name));
  part("counts").textContent = words.map(([name, count]) => `${count} ${name.replace("_", " ")}`).join(" · ");
}

function drawBrief(brief) {
  session = brief.session_id;
  part("purpose").textContent = brief.purpose || brief.session_id;
  drawQuestions(brief.questions ?? []);
  if (brief.plan) {
    const inProgress = brief.plan.mine ?? [];
    drawCounts(brief.plan.tasks);
    drawBoard([["Ready to begin", brief.plan.ready ?? []], ["With the agent of this chat", inProgress]]);
  }
  drawLink();
  say("");
}

async function read(name) {
  const result = await ask("resources/read", { uri: `longtable://session/${session}/${name}` });
  return JSON.parse(result.contents[0].text);
}

async function refresh() {
  if (!session || !host.serverResources) return;
  part("refresh").hidden = false;
  try {
    const [plan, brief] = await Promise.all([read("plan"), read("brief")]);
    drawQuestions(brief.questions ?? []);
    drawPlan(plan);
    say("");
  } catch {
    say("The table could not be read again. What is shown is from the brief.");
  }
}

function drawLink() {
  const console = said("console");
  if (!console) return;
  const url = `${console.replace(/\/$/, "")}/sessions/${encodeURIComponent(session)}`;
  const place = part("console");
  place.hidden = false;
  if (!host.openLinks) {
    place.textContent = `The console: ${url}`;
    return;
  }
  const link = element("a", "Open it in the console");
  link.href = url;
  link.addEventListener("click", (event) => {
    event.preventDefault();
    ask("ui/open-link", { url }).catch(() => say(`The link was not opened: ${url}`));
  });
  place.replaceChildren(link);
}

function fitIn(context) {
  if (context?.theme) document.documentElement.dataset.theme = context.theme === "dark" ? "dark" : "light";
  for (const name of PLACES) {
    const value = context?.styles?.variables?.[name];
    if (typeof value === "string") document.documentElement.style.setProperty(name, value);
  }
}

const told = {
  "ui/notifications/tool-result": (result) => {
    const brief = result?.structuredContent;
    if (!brief?.session_id) return say("The brief was refused. Ask the agent to call it again.");
    drawBrief(brief);
    return refresh();
  },
  "ui/notifications/tool-cancelled": () => say("The brief was cancelled."),
  "ui/notifications/host-context-changed": fitIn,
};

window.addEventListener("message", ({ source, data }) => {
  if (source !== window.parent || data?.jsonrpc !== "2.0") return;
  if (data.method === undefined) {
    const call = waiting.get(data.id);
    waiting.delete(data.id);
    if (data.error) call?.reject(data.error);
    else call?.resolve(data.result);
  } else if (data.id === undefined) {
    told[data.method]?.(data.params);
  } else if (data.method === "ping" || data.method === "ui/resource-teardown") {
    send({ id: data.id, result: {} });
  } else {
    send({ id: data.id, error: { code: -32601, message: "This page only shows." } });
  }
});

part("refresh").addEventListener("click", refresh);

new ResizeObserver(() => {
  const { width, height } = document.documentElement.getBoundingClientRect();
  send({ method: "ui/notifications/size-changed", params: { width: Math.ceil(width), height: Math.ceil(height) } });
}).observe(document.documentElement);

ask("ui/initialize", {
  appInfo: { name: "longtable-table", version: said("version") },
  appCapabilities: {},
  protocolVersion: "2026-01-26",
}).then((result) => {
  host = result.hostCapabilities ?? {};
  fitIn(result.hostContext);
  send({ method: "ui/notifications/initialized", params: {} });
});
