// An answer's Markdown as HTML. What a model wrote is a stranger's text: no HTML, link, image or command comes of it; the
// only thing that can be clicked is the number of a source that we know.

import MarkdownIt from 'markdown-it';
import type { Sentence } from './state';

export interface Rendering {
  readonly text: string;
  readonly sentences: readonly Sentence[];
  /** Numbers of the sources. */
  readonly known: ReadonlySet<number>;
  readonly words: Words;
}

export interface Words {
  readonly source: string; // with {0} for its number
  readonly weak: string;
  readonly notFound: string;
}

// Private characters that stand for marks until the text is escaped; a text that has them itself loses them.
const OPEN = '\ue000';
const CLOSE = '\ue001';
const PRIVATE = /[\ue000\ue001]/g;
/** What the server sets behind a sentence that its sources do not bear out, or only in part. */
const SIGNS = { '⚠': 'notFound', '≈': 'weak' } as const;

export function rendered(given: Rendering): string {
  const md = new MarkdownIt('default', { html: false, linkify: false, typographer: false });
  md.disable(['link', 'image', 'autolink', 'html_inline', 'html_block', 'reference']);
  md.inline.ruler.before('emphasis', 'citation', (state, silent) => {
    const found = /^\[(\d{1,3}(?:\s*,\s*\d{1,3})*)\]/.exec(state.src.slice(state.pos, state.pos + 40));
    const numbers = found?.[1]?.split(',').map(Number) ?? [];
    if (!found || !numbers.every((number) => given.known.has(number))) {
      return false;
    }
    if (!silent) {
      numbers.forEach((number) => (state.push('citation', 'a', 0).meta = { number }));
    }
    state.pos += found[0].length;
    return true;
  });
  const doubtful = given.sentences.filter(({ support }) => support === 'weak' || support === 'not_found');
  md.core.ruler.after('block', 'support', (state) => {
    for (const token of state.tokens) {
      if (token.type === 'inline') {
        token.content = marked(token.content, doubtful);
      }
    }
  });
  md.renderer.rules['text'] = (tokens, at) => withMarks(md.utils.escapeHtml(tokens[at]!.content), given.words);
  md.renderer.rules['code_inline'] = (tokens, at) => `<code>${md.utils.escapeHtml(tokens[at]!.content.replace(PRIVATE, ''))}</code>`;
  md.renderer.rules['citation'] = (tokens, at) => citation(Number(tokens[at]!.meta?.['number']), given.words);
  return md.render(given.text.replace(PRIVATE, ''));
}

// What may stand between the words of a plain sentence where it was written: marks of emphasis, numbers of sources.
const BETWEEN = '(?:[\\s*_`~\\\\]|\\[[\\d\\s,]+\\])*';

/** A block's text with private characters around each doubtful sentence that stands in it. */
function marked(content: string, doubtful: readonly Sentence[]): string {
  let text = content;
  for (const sentence of doubtful) {
    const words = sentence.text.match(/[\p{L}\p{N}]+|[^\s\p{L}\p{N}\ue000\ue001]/gu) ?? [];
    const found = words.length ? new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')).join(BETWEEN)).exec(text) : null;
    if (found) {
      const end = found.index + found[0].length;
      text = `${text.slice(0, found.index)}${OPEN}${found[0]}${CLOSE}${text.slice(end)}`;
    }
  }
  return text;
}

function withMarks(html: string, words: Words): string {
  return html
    .replaceAll(OPEN, '<mark>')
    .replaceAll(CLOSE, '</mark>')
    .replace(/ ?([⚠≈])/g, (_, sign: keyof typeof SIGNS) => {
      const said = attribute(words[SIGNS[sign]]);
      return `<span class="sign ${SIGNS[sign]}" role="img" title="${said}" aria-label="${said}">${sign}\ufe0e</span>`;
    });
}

function citation(number: number, words: Words): string {
  const said = attribute(words.source.replace('{0}', String(number)));
  return `<a class="citation" href="#" role="button" data-source="${number}" title="${said}" aria-label="${said}">${number}</a>`;
}

function attribute(text: string): string {
  return text.replace(/[&"<>]/g, (sign) => `&#${sign.charCodeAt(0)};`);
}
