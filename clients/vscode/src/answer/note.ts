// An answer as text: to copy, to insert, to save as a note. Its Markdown is a model's: links, images and HTML are taken apart.

import type { Citation, Turn } from './state';

/** The text with no link, image or HTML in it that a preview would follow or load; code stays as it is. */
export function harmless(markdown: string): string {
  let fence = '';
  return markdown
    .split('\n')
    .map((line) => {
      const mark = /^ {0,3}(`{3,}|~{3,})/.exec(line)?.[1];
      if (fence) {
        fence = mark && mark[0] === fence[0] && mark.length >= fence.length && !line.replace(mark, '').trim() ? '' : fence;
        return line;
      }
      fence = mark ?? '';
      return mark ? line : line.split(/(`+[^`]*`+)/).map((part, at) => (at % 2 ? part : apart(part))).join('');
    })
    .join('\n');
}

function apart(text: string): string {
  return text
    .replace(/<(?=[a-z/!?])/gi, '\\<')
    .replace(/!(?=\[)/g, '\\!')
    .replace(/\](?=[([:])/g, '\\]');
}

/** `link` is the Markdown of a link to a source. */
export function answerText(turn: Turn, link: (source: Citation) => string, heading: string): string {
  const sources = turn.sources.filter(({ number }) => mentioned(turn.text, number));
  const list = sources.map((source) => `- [${source.number}] ${link(source)}`).join('\n');
  return `${harmless(turn.text).trim()}\n${list && `\n${heading}\n\n${list}\n`}`;
}

function mentioned(text: string, number: number): boolean {
  return new RegExp(`\\[(?:\\d+\\s*,\\s*)*${number}(?:\\s*,\\s*\\d+)*\\]`).test(text);
}

/** A file's name for a note about a question: its words, without what a file system or a link takes amiss. */
export function fileName(question: string): string {
  const words = question.replace(/[\\/:*?"<>|#^[\]%\u0000-\u001f]+/g, ' ').replace(/\s+/g, ' ').replace(/^[. ]+|[. ]+$/g, '');
  const cut = [...words].slice(0, 60).join('').trim();
  return `${cut || 'answer'}.md`;
}
