// The panel's page: shows the turns as they grow and says what was pressed. It decides nothing.

import type { FromPage, Labels, Strings, ToPage } from '../answer/messages';
import { rendered } from '../answer/render';
import type { Turn } from '../answer/state';
import { element, safe } from './elements';
import { toolbar, updateTools } from './tools';

const vscode = acquireVsCodeApi();
const say = (message: FromPage) => vscode.postMessage(message);
const strings = JSON.parse(document.getElementById('strings')!.textContent!) as Strings;
const thread = document.getElementById('thread')!;
const form = document.getElementById('follow') as HTMLFormElement;
const field = document.getElementById('question') as HTMLTextAreaElement;
const said = document.getElementById('said')!; // is read out and not seen
const shown = new Map<string, { readonly node: HTMLElement; turn: Turn }>();

window.addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
  if (data.is === 'thread') {
    show(data.turns, data.labels);
  } else {
    field.focus();
  }
});

function show(turns: readonly Turn[], labels: readonly Labels[]): void {
  const keys = new Set(turns.map(({ key }) => key));
  for (const [key, { node }] of shown) {
    if (!keys.has(key)) {
      node.remove();
      shown.delete(key);
    }
  }
  const atEnd = innerHeight + scrollY >= document.documentElement.scrollHeight - 40;
  turns.forEach((turn, at) => {
    const old = shown.get(turn.key);
    const node = old?.node ?? thread.appendChild(skeleton(turn));
    fill(node, turn, old?.turn, labels[at] ?? {});
    shown.set(turn.key, { node, turn });
  });
  document.body.classList.toggle('empty', turns.length === 0);
  const running = turns.some(({ phase }) => phase === 'running');
  document.body.classList.toggle('running', running);
  if (atEnd && running && turns.length > 1) {
    scrollTo(0, document.documentElement.scrollHeight);
  }
}

function skeleton(turn: Turn): HTMLElement {
  const node = element('article', 'turn');
  node.setAttribute('aria-label', turn.title);
  node.append(element('h2', 'title', turn.title));
  for (const name of ['sources', 'text', 'status']) {
    node.append(element('div', name));
  }
  node.append(toolbar(turn, strings, say));
  const status = part(node, 'status');
  status.setAttribute('role', 'status');
  status.setAttribute('aria-live', 'polite');
  return node;
}

function part(node: HTMLElement, name: string): HTMLElement {
  return node.querySelector<HTMLElement>(`:scope > .${name}`)!;
}

/** Only what changed is made anew: a click, a selection or a screen reader's place elsewhere stays. */
function fill(node: HTMLElement, turn: Turn, old: Turn | undefined, labels: Labels): void {
  node.setAttribute('aria-busy', String(turn.phase === 'running'));
  if (!old || !same(old.sources, turn.sources) || !same(old.nearest, turn.nearest)) {
    renew(part(node, 'sources'), ...sources(turn, labels));
  }
  if (!old || old.text !== turn.text || !same(old.sentences, turn.sentences) || !same(old.sources, turn.sources)) {
    const known = new Set(turn.sources.map(({ number }) => number));
    renew(part(node, 'text'), safe(rendered({ text: turn.text, sentences: turn.sentences, known, words: strings })));
  }
  if (!old || status(old) !== status(turn) || old.phase !== turn.phase) {
    part(node, 'status').textContent = status(turn);
    part(node, 'status').classList.toggle('failed', turn.phase === 'failed');
  }
  if (!old || old.phase !== turn.phase || old.verdict !== turn.verdict) {
    updateTools(part(node, 'tools'), turn, field);
  }
  if (old?.phase === 'running' && turn.phase === 'done') {
    const { length } = turn.sources;
    said.textContent = length === 1 ? strings.readyOne : strings.ready.replace('{0}', String(length));
  } else if (turn.phase === 'running' && !old) {
    said.textContent = '';
  }
}

/** Other children; focus goes to what stands where the focused one stood. */
function renew(host: HTMLElement, ...nodes: Node[]): void {
  const all = () => [...host.querySelectorAll<HTMLElement>('a, button')];
  const at = all().findIndex((each) => each === document.activeElement);
  host.replaceChildren(...nodes);
  all()[at]?.focus({ preventScroll: true });
}

function same(a: unknown, b: unknown): boolean {
  return JSON.stringify(a) === JSON.stringify(b);
}

function sources(turn: Turn, labels: Labels): HTMLElement[] {
  const cited = turn.sources.map((source) => {
    const pressed = () => say({ is: 'source', turn: turn.key, number: source.number });
    return sourceItem(String(source.number), labels[`s${source.number}`] ?? '', Boolean(source.stale), pressed);
  });
  const near = turn.nearest.map((_, at) => sourceItem('', labels[`n${at}`] ?? '', false, () => say({ is: 'nearest', turn: turn.key, number: at })));
  return [
    ...(cited.length ? [element('h3', '', strings.sources), inList('ol', cited)] : []),
    ...(near.length && !cited.length ? [element('h3', '', strings.nearest), inList('ul', near)] : []),
  ];
}

function sourceItem(number: string, label: string, stale: boolean, pressed: () => void): HTMLElement {
  const open = element('button', 'source');
  open.append(...(number ? [element('span', 'number', number)] : []), element('span', 'label', label));
  if (stale) {
    open.append(element('span', 'stale', strings.stale));
  }
  open.title = label;
  open.addEventListener('click', pressed);
  const item = element('li');
  item.append(open);
  return item;
}

function inList(kind: 'ol' | 'ul', items: HTMLElement[]): HTMLElement {
  const list = element(kind);
  list.append(...items);
  return list;
}

function status(turn: Turn): string {
  switch (turn.phase) {
    case 'running':
      return turn.status || (turn.text ? strings.writing : strings.reading);
    case 'stopped':
      return turn.status || strings.stopped;
    case 'failed':
      return turn.status;
    case 'done':
      return [turn.model && strings.model.replace('{0}', turn.model), turn.finish === 'length' && strings.cut].filter(Boolean).join(' · ');
  }
}

thread.addEventListener('click', (event) => {
  const link = (event.target as Element).closest<HTMLElement>('a.citation');
  const turn = link?.closest<HTMLElement>('.turn');
  if (link && turn) {
    event.preventDefault();
    const [key] = [...shown].find(([, { node }]) => node === turn) ?? [];
    say({ is: 'source', turn: key ?? '', number: Number(link.dataset['source']) });
  }
});
thread.addEventListener('keydown', (event) => {
  const link = (event.target as Element).closest<HTMLElement>('a.citation');
  if (link && event.key === ' ') {
    event.preventDefault();
    link.click();
  }
});

interface Draft {
  readonly draft: string;
}

/** The page is thrown away while its tab is not seen: what was typed comes back with it. */
function keep(): void {
  vscode.setState({ draft: field.value } satisfies Draft);
}

form.addEventListener('submit', (event) => {
  event.preventDefault();
  const question = field.value.trim();
  if (question) {
    field.value = '';
    keep();
    say({ is: 'ask', question });
  }
});
field.addEventListener('input', keep);
field.addEventListener('keydown', (event) => {
  if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) {
    event.preventDefault(); // of an input method Enter only ends the word
    form.requestSubmit();
  }
});
field.value = (vscode.getState() as Draft | undefined)?.draft ?? '';
document.getElementById('past')!.addEventListener('click', () => say({ is: 'past' }));
document.getElementById('fresh')!.addEventListener('click', () => say({ is: 'fresh' }));
say({ is: 'ready' });
