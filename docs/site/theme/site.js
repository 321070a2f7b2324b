// Search, theme, menu and copy buttons. Works from a folder (file://), so nothing is fetched: the index of the search is
// a script, loaded when the search is first used.
"use strict";
const query = document.getElementById("query");
const hits = document.getElementById("hits");
const base = document.body.dataset.base.replace(/\/?$/, "/");
const most = 14;
let index = null;

function loadIndex(then) {
  if (window.talusSearch) {
    index = index || window.talusSearch.map((entry) => ({ ...entry, low: entry.text.toLowerCase(), head: entry.title.toLowerCase() }));
    then();
    return;
  }
  const script = document.createElement("script");
  script.src = base + "search_index.js";
  script.onload = () => loadIndex(then);
  document.head.append(script);
}

// Every word has to occur, in the text or in a heading; headings and beginnings of words count more.
function score(entry, words) {
  let sum = 0;
  for (const word of words) {
    const heading = entry.head.indexOf(word);
    const place = entry.low.indexOf(word);
    if (heading < 0 && place < 0) return 0;
    if (heading >= 0) sum += startsWord(entry.head, heading) ? 40 : 15;
    if (place >= 0) sum += (startsWord(entry.low, place) ? 6 : 1) + Math.min(entry.low.split(word).length - 1, 5);
  }
  const phrase = words.join(" ");
  if (entry.head === phrase) sum += 100;
  if (words.length > 1 && (entry.low.includes(phrase) || entry.head.includes(phrase))) sum += 30;
  return /^reference\/cpp\//.test(entry.location) ? sum / 2 : sum; // headers repeat the words of the pages that explain
}

const startsWord = (text, place) => place === 0 || !/[\p{L}\p{N}]/u.test(text[place - 1]);

function excerpt(entry, words) {
  const places = words.map((word) => entry.low.indexOf(word)).filter((place) => place >= 0);
  const start = Math.max(0, Math.min(...(places.length ? places : [0])) - 50);
  return (start > 0 ? "… " : "") + entry.text.slice(start, start + 170) + (start + 170 < entry.text.length ? " …" : "");
}

// Text with the words in <mark>, as nodes: nothing of a page is read as HTML.
function marked(text, words) {
  const pattern = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "giu");
  const nodes = [];
  let end = 0;
  for (const match of text.matchAll(pattern)) {
    nodes.push(text.slice(end, match.index));
    const mark = document.createElement("mark");
    mark.textContent = match[0];
    nodes.push(mark);
    end = match.index + match[0].length;
  }
  return [...nodes, text.slice(end)];
}

function show() {
  const words = query.value.toLowerCase().split(/\s+/).filter(Boolean);
  hits.hidden = words.length === 0;
  if (words.length === 0) return;
  const found = index.map((entry) => ({ entry, score: score(entry, words) })).filter((each) => each.score > 0);
  found.sort((a, b) => b.score - a.score);
  hits.replaceChildren(...found.slice(0, most).map(({ entry }) => {
    const item = document.createElement("li");
    const link = document.createElement("a");
    const title = document.createElement("b");
    const text = document.createElement("span");
    link.href = base + entry.location;
    title.append(...marked(entry.page && entry.page !== entry.title ? `${entry.page}: ${entry.title}` : entry.title, words));
    text.append(...marked(excerpt(entry, words), words));
    link.append(title, text);
    link.addEventListener("click", () => { hits.hidden = true; });
    item.append(link);
    return item;
  }));
  if (found.length === 0) {
    const item = document.createElement("li");
    item.className = "none";
    item.textContent = "Nothing found.";
    hits.append(item);
  }
}

function move(step) {
  const links = [query, ...hits.querySelectorAll("a")];
  links[(links.indexOf(document.activeElement) + step + links.length) % links.length].focus();
}

query.addEventListener("input", () => loadIndex(show));
query.addEventListener("focus", () => loadIndex(show));
document.addEventListener("keydown", (event) => {
  const searching = event.target === query || hits.contains(event.target);
  if (event.key === "/" && !/^(INPUT|TEXTAREA)$/.test(event.target.tagName)) {
    event.preventDefault();
    query.focus();
  } else if (searching && event.key === "Escape") {
    query.value = "";
    hits.hidden = true;
    query.blur();
  } else if (searching && !hits.hidden && (event.key === "ArrowDown" || event.key === "ArrowUp")) {
    event.preventDefault();
    move(event.key === "ArrowDown" ? 1 : -1);
  } else if (event.target === query && event.key === "Enter") {
    hits.querySelector("a")?.click();
  }
});
document.addEventListener("click", (event) => {
  if (!event.target.closest(".search")) hits.hidden = true;
});

document.getElementById("theme").addEventListener("click", () => {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("talus-theme", root.dataset.theme); } catch (error) { /* no storage: for this page only */ }
});

const contents = document.getElementById("contents");
document.getElementById("menu").addEventListener("click", (event) => {
  event.currentTarget.setAttribute("aria-expanded", String(contents.classList.toggle("shown")));
});
contents.querySelector("[aria-current]")?.scrollIntoView({ block: "nearest" });

for (const table of document.querySelectorAll("main table")) {
  const frame = document.createElement("div");
  frame.className = "table";
  table.replaceWith(frame);
  frame.append(table);
}

if (navigator.clipboard) {
  for (const block of document.querySelectorAll("main pre")) {
    const button = document.createElement("button");
    button.className = "copy";
    button.type = "button";
    button.textContent = "copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(block.querySelector("code").textContent);
      button.textContent = "copied";
      setTimeout(() => { button.textContent = "copy"; }, 1500);
    });
    block.append(button);
  }
}
