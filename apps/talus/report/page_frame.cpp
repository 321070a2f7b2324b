#include "page_frame.h"

namespace talus::cli {
namespace {

constexpr std::string_view style = R"css(
:root { color-scheme: light dark; --text: #1d2329; --soft: #5b6570; --page: #ffffff; --card: #f6f7f9;
  --line: #d9dee3; --grid: #dfe3e8; --good: #1a7f4b; --bad: #b3404a; --best: #e3f4ea; --link: #1d63b8; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e3e7eb; --soft: #9aa5b1; --page: #14181c; --card: #1c2228; --line: #353d46;
    --grid: #323a42; --good: #56c58d; --bad: #ee8089; --best: #17382a; --link: #7ab3f5; } }
* { box-sizing: border-box; }
body { margin: 0; background: var(--page); color: var(--text);
  font: 15px/1.55 system-ui, -apple-system, "Segoe UI", "DejaVu Sans", sans-serif; }
main { max-width: 1180px; margin: 0 auto; padding: 36px 28px 64px; }
h1 { font-size: 28px; line-height: 1.2; margin: 0 0 6px; letter-spacing: -0.01em; }
h2 { font-size: 19px; margin: 44px 0 4px; padding-top: 14px; border-top: 1px solid var(--line); }
h3 { font-size: 15px; margin: 22px 0 6px; } h4 { font-size: 14px; margin: 20px 0 4px; max-width: 92ch; }
section { margin: 0 0 40px; } section h3 { font-size: 17px; margin-bottom: 0; }
p { margin: 6px 0 12px; max-width: 78ch; }
.soft, figcaption { color: var(--soft); }
a { color: var(--link); text-decoration: none; } a:hover { text-decoration: underline; }
nav { margin: 14px 0 0; display: flex; flex-wrap: wrap; gap: 4px 18px; }
.facts { display: flex; flex-wrap: wrap; gap: 10px; margin: 20px 0 0; padding: 0; list-style: none; }
.facts li { background: var(--card); border: 1px solid var(--line); border-radius: 8px; padding: 7px 14px; }
.facts b { display: block; font-size: 17px; line-height: 1.3; } .facts span { color: var(--soft); font-size: 12.5px; }
.scroll { overflow-x: auto; }
table { border-collapse: collapse; font-size: 13.5px; font-variant-numeric: tabular-nums; }
th, td { padding: 5px 11px; text-align: right; white-space: nowrap; border-bottom: 1px solid var(--line); }
th { color: var(--soft); font-weight: 600; border-bottom: 2px solid var(--line); position: sticky; top: 0; background: var(--page); }
th:first-child, td:first-child { padding-left: 4px; }
.word { text-align: left; } .wrap { white-space: normal; min-width: 16ch; max-width: 44ch; }
tbody tr:hover { background: var(--card); }
.sortable th { cursor: pointer; user-select: none; }
.sortable th[aria-sort=ascending]::after { content: " ▲"; font-size: 9px; }
.sortable th[aria-sort=descending]::after { content: " ▼"; font-size: 9px; }
td.best { background: var(--best); font-weight: 600; }
.good { color: var(--good); } .bad { color: var(--bad); } .none { color: var(--soft); }
tr.total td { border-top: 2px solid var(--line); font-weight: 600; }
.swatch { display: inline-block; width: 10px; height: 10px; border-radius: 3px; margin-right: 7px; }
.bar { display: inline-block; vertical-align: middle; width: 150px; height: 10px; border-radius: 5px; background: var(--grid); overflow: hidden; margin-right: 9px; }
.bar i { display: block; height: 100%; border-radius: 5px; }
figure { margin: 18px 0 8px; } figure svg { width: 100%; height: auto; max-width: 1060px; display: block; }
figcaption { max-width: 92ch; font-size: 14px; margin-top: 4px; }
details { border-bottom: 1px solid var(--line); padding: 8px 0; } summary { cursor: pointer; font-weight: 600; }
input[type=search] { font: inherit; font-size: 14px; padding: 6px 10px; width: 280px; max-width: 100%; margin: 4px 0 10px;
  color: inherit; background: var(--card); border: 1px solid var(--line); border-radius: 6px; }
.notice { background: var(--card); border-left: 4px solid var(--bad); padding: 10px 14px; margin: 16px 0; }
.long table { font-size: 12.5px; } .long th, .long td { padding: 4px 7px; }
.long { max-height: 640px; overflow: auto; border: 1px solid var(--line); border-radius: 8px; padding: 0 8px; }
@media print { .long table { font-size: 12.5px; } .long th, .long td { padding: 4px 7px; }
.long { max-height: none; } main { max-width: none; padding: 0; } }
)css";

constexpr std::string_view script = R"js(
function cellValue(row, column) {
  const cell = row.cells[column];
  const text = cell.dataset.value !== undefined ? cell.dataset.value : cell.textContent.trim();
  const number = Number(text);
  return text !== '' && !Number.isNaN(number) ? number : text;
}
function compareValues(a, b) {
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === 'number') return -1;
  if (typeof b === 'number') return 1;
  return a.localeCompare(b, undefined, {numeric: true});
}
for (const table of document.querySelectorAll('table.sortable')) {
  const heads = [...table.tHead.rows[0].cells];
  heads.forEach((head, column) => {
    head.tabIndex = 0;
    const sort = () => {
      const down = head.getAttribute('aria-sort') === 'ascending';
      heads.forEach(other => other.removeAttribute('aria-sort'));
      head.setAttribute('aria-sort', down ? 'descending' : 'ascending');
      const body = table.tBodies[0];
      const rows = [...body.rows].filter(row => !row.classList.contains('total'));
      const totals = [...body.rows].filter(row => row.classList.contains('total'));
      rows.sort((a, b) => (down ? -1 : 1) * compareValues(cellValue(a, column), cellValue(b, column)));
      body.append(...rows, ...totals);
    };
    head.addEventListener('click', sort);
    head.addEventListener('keydown', event => { if (event.key === 'Enter') sort(); });
  });
}
for (const input of document.querySelectorAll('input[data-filter]')) {
  const body = document.getElementById(input.dataset.filter).tBodies[0];
  input.addEventListener('input', () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    for (const row of body.rows) {
      const text = row.textContent.toLowerCase();
      row.hidden = !words.every(word => text.includes(word));
    }
  });
}
)js";

} // namespace

std::string html(std::string_view text) {
  std::string safe;
  for (const char c : text) {
    switch (c) {
    case '&':
      safe += "&amp;";
      break;
    case '<':
      safe += "&lt;";
      break;
    case '>':
      safe += "&gt;";
      break;
    case '"':
      safe += "&quot;";
      break;
    default:
      safe += c;
    }
  }
  return safe;
}

std::string page(std::string_view title, std::string_view body) {
  std::string text = "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
                     "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
  text.append("<title>").append(html(title)).append("</title>\n");
  text.append("<style>").append(style).append("</style>\n</head>\n<body>\n<main>\n");
  text.append(body);
  text.append("</main>\n<script>").append(script).append("</script>\n</body>\n</html>\n");
  return text;
}

} // namespace talus::cli
