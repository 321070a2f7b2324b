// All keys, in a dialog.

const element = id => document.getElementById(id);

const keys = [
  ['space', 'play or pause'], ['← →', 'one frame back or on'], ['Home, End', 'first or last frame'], ['l', 'play again from the start'],
  ['1 2 3 4', 'camera: iso, front, side, top'], ['f', 'follow the picked body'], ['t', 'show its path'], ['Esc', 'deselect, end measuring'],
  ['m', 'measure between two points'], ['c', 'force chains'], ['v', 'velocities'], ['/', 'search bodies and joints'],
  ['d', 'light or dark'], ['p', 'show or hide the panel'], ['?', 'this list'],
  ['drag', 'rotate; right button or two fingers: pan'], ['wheel, pinch', 'zoom'], ['click', 'pick a body or a joint'], ['drag a plot', 'go to a time'],
];

export function addHelp(more = []) {
  element('help-table').replaceChildren(...[...more, ...keys].map(([key, what]) => {
    const line = document.createElement('tr');
    for (const text of [key, what]) line.append(Object.assign(document.createElement('td'), { textContent: text }));
    return line;
  }));
  element('help-button').addEventListener('click', () => element('help').showModal());
}
