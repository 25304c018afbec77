// Links to a note, as text to insert.

import * as path from 'node:path';

export interface LinkTarget {
  readonly file: string; // absolute path
  readonly root: string; // of its folder
  readonly title: string;
  readonly heading: string; // "Title > Heading > …"; empty for the whole note
}

/** `from` is the file that gets the link; undefined for one that was never saved. */
export function linkText(style: 'wiki' | 'markdown', target: LinkTarget, from: string | undefined): string {
  const heading = lastHeading(target);
  const title = oneLine(target.title) || path.parse(target.file).name;
  if (style === 'wiki') {
    const note = posix(path.relative(target.root, target.file)).replace(/\.md$/i, '');
    const anchor = heading ? `#${oneLine(heading.replace(/[[\]|#^]/g, ' '))}` : '';
    return `[[${note}${anchor}|${oneLine(title.replace(/[[\]|]/g, ' '))}]]`;
  }
  const there = posix(path.relative(path.dirname(from ?? path.join(target.root, 'x')), target.file));
  const anchor = heading ? `#${slug(heading)}` : '';
  return `[${title.replace(/[\\[\]]/g, '\\$&')}](${there.split('/').map(encode).join('/')}${anchor})`;
}

/** The innermost heading, where it is not the title again. */
function lastHeading({ heading, title }: LinkTarget): string {
  const last = heading.split(' > ').pop() ?? '';
  return oneLine(last) === oneLine(title) ? '' : oneLine(last);
}

/** As VS Code's and GitHub's Markdown name a heading. */
function slug(heading: string): string {
  return encode(heading.trim().toLowerCase().replace(/\s+/g, '-').replace(/[\][!/'"#$%&()*+,./:;<=>?@\\^{|}~`。，、；：？！…—·ˉ¨‘’“”々～‖∶＂＇｀｜〃〔〕〈〉《》「」『』．〖〗【】（）［］｛｝]/g, ''));
}

function encode(part: string): string {
  return encodeURIComponent(part).replace(/[()]/g, (bracket) => (bracket === '(' ? '%28' : '%29'));
}

function posix(relative: string): string {
  return relative.split(path.sep).join('/');
}

function oneLine(text: string): string {
  return text.replace(/\s+/g, ' ').trim();
}
