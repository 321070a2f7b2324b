// Bodies and joints by name: a field to search in and a list to pick from.

const element = id => document.getElementById(id);
/** More than this would be slow to lay out, and nobody reads on. */
const mostListed = 200;

export class Finder {
  /** `onPick(kind, index)` with kind 'body' or 'joint'. */
  constructor(model, onPick) {
    this.onPick = onPick;
    this.setModel(model);
    element('search').addEventListener('input', () => this.list());
    element('search').addEventListener('keydown', event => {
      if (event.key === 'Enter') element('found').querySelector('button')?.click();
      if (event.key === 'Escape') { element('search').value = ''; this.list(); }
    });
    element('finder').addEventListener('toggle', () => this.list());
  }

  setModel(model) {
    this.entries = [...model.joints.map((name, index) => ({ kind: 'joint', name, index })), ...model.names.map((name, index) => ({ kind: 'body', name, index }))];
    this.list();
  }

  list() {
    if (!element('finder').open) return;
    const words = element('search').value.toLowerCase().split(/\s+/).filter(Boolean);
    const found = this.entries.filter(({ name, kind }) => words.every(word => name.toLowerCase().includes(word) || kind === word));
    const buttons = found.slice(0, mostListed).map(({ kind, name, index }) => {
      const button = Object.assign(document.createElement('button'), { textContent: name });
      button.append(Object.assign(document.createElement('small'), { textContent: kind === 'joint' ? ' joint' : '' }));
      button.addEventListener('click', () => this.onPick(kind, index));
      const item = document.createElement('li');
      item.append(button);
      return item;
    });
    element('found').replaceChildren(...buttons);
    const left = found.length - buttons.length;
    element('found-count').textContent = `${found.length.toLocaleString('en')} found${left > 0 ? `, ${left.toLocaleString('en')} not listed` : ''}`;
  }
}
