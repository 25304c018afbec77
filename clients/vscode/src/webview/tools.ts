// The buttons below an answer: made once, so that the one that has the keyboard's focus keeps it while the answer changes.

import type { FromPage, Strings } from '../answer/messages';
import type { Turn } from '../answer/state';
import { button, element, icon } from './elements';

type Say = (message: FromPage) => void;

const OF_A_TEXT = ['copy', 'insert', 'save', 'good', 'bad'] as const;

export function toolbar(turn: Turn, strings: Strings, say: Say): HTMLElement {
  const tools = element('div', 'tools');
  const made = OF_A_TEXT.map((is) => {
    const press = () => say({ is, turn: turn.key });
    if (is !== 'good' && is !== 'bad') {
      return button(strings[is], is, press);
    }
    const thumb = button('', `thumb ${is}`, press, strings[is]);
    thumb.append(icon(is));
    return thumb;
  });
  tools.append(button(strings.stop, 'stop', () => say({ is: 'stop' })), ...made);
  return tools;
}

/** Show the buttons that the turn has now. Focus that would be lost with its button goes to the first that is left. */
export function updateTools(tools: HTMLElement, turn: Turn, elsewhere: HTMLElement): void {
  const focused = tools.contains(document.activeElement) ? (document.activeElement as HTMLElement) : undefined;
  const running = turn.phase === 'running';
  for (const each of tools.querySelectorAll('button')) {
    each.hidden = each.classList.contains('stop') ? !running : running || !turn.text;
  }
  for (const way of ['good', 'bad'] as const) {
    const thumb = tools.querySelector<HTMLButtonElement>(`.${way}`)!;
    thumb.setAttribute('aria-pressed', String(turn.verdict === way));
    thumb.disabled = turn.id === null;
  }
  if (focused?.hidden) {
    (tools.querySelector<HTMLElement>('button:not([hidden])') ?? elsewhere).focus({ preventScroll: true });
  }
}
