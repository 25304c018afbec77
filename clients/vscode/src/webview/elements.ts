// Making elements; and the last guard over rendered HTML.

export function element<K extends keyof HTMLElementTagNameMap>(name: K, className = '', text = ''): HTMLElementTagNameMap[K] {
  const made = document.createElement(name);
  made.className = className;
  made.textContent = text;
  return made;
}

export function button(label: string, className: string, pressed: () => void, said = label): HTMLButtonElement {
  const made = element('button', className, label);
  made.type = 'button';
  made.title = said;
  made.setAttribute('aria-label', said);
  made.addEventListener('click', pressed);
  return made;
}

const THUMB = 'M5 7.5v6M5 7.5 7.6 2c1 0 1.7.7 1.7 1.7V6.4h3.5c.8 0 1.3.7 1.1 1.4l-1.2 4.7c-.1.6-.6 1-1.2 1H5M5 7.5H2.4v6H5';

export function icon(way: 'good' | 'bad'): SVGSVGElement {
  const space = 'http://www.w3.org/2000/svg';
  const svg = document.createElementNS(space, 'svg');
  const path = document.createElementNS(space, 'path');
  svg.setAttribute('viewBox', '0 0 16 16');
  svg.setAttribute('aria-hidden', 'true');
  path.setAttribute('d', THUMB);
  if (way === 'bad') {
    path.setAttribute('transform', 'rotate(180 8 8)');
  }
  svg.append(path);
  return svg;
}

const ELEMENTS = new Set(
  ['A', 'BLOCKQUOTE', 'BR', 'CODE', 'DEL', 'EM', 'H1', 'H2', 'H3', 'H4', 'H5', 'H6', 'HR', 'LI', 'MARK', 'OL', 'P', 'PRE', 'S', 'SPAN', 'STRONG', 'TABLE', 'TBODY', 'TD', 'TH', 'THEAD', 'TR', 'UL'],
);
const ATTRIBUTES = new Set(['class', 'role', 'title', 'aria-label', 'aria-hidden', 'data-source', 'start']);

/** The renderer's HTML as nodes; what it should never have made is shown as the text that it holds. */
export function safe(html: string): DocumentFragment {
  const template = document.createElement('template');
  template.innerHTML = html;
  for (const node of [...template.content.querySelectorAll('*')].reverse()) {
    if (!ELEMENTS.has(node.tagName)) {
      node.replaceWith(document.createTextNode(node.textContent ?? ''));
      continue;
    }
    for (const { name, value } of [...node.attributes]) {
      if (!ATTRIBUTES.has(name) && !(name === 'href' && value === '#')) {
        node.removeAttribute(name);
      }
    }
  }
  return template.content;
}
