import assert from 'node:assert/strict';
import { test } from 'node:test';
import { rendered } from '../../src/answer/render';
import type { Sentence } from '../../src/answer/state';

const WORDS = { source: 'Open source {0}', weak: 'in part', notFound: 'not "said"' };

function html(text: string, known: readonly number[] = [1, 2], sentences: readonly Sentence[] = []): string {
  return rendered({ text, sentences, known: new Set(known), words: WORDS }).trim();
}

const link = (number: number) =>
  `<a class="citation" href="#" role="button" data-source="${number}" title="Open source ${number}" aria-label="Open source ${number}">${number}</a>`;

test('numbers of known sources can be clicked, others are text', () => {
  assert.equal(html('It is so [1]. Or not [9].'), `<p>It is so ${link(1)}. Or not [9].</p>`);
  assert.equal(html('Both [1, 2] and [1,9].'), `<p>Both ${link(1)}${link(2)} and [1,9].</p>`);
});

test('a number in code is code', () => {
  assert.equal(html('`a[1]`'), '<p><code>a[1]</code></p>');
  assert.match(html('```js\nx[1]\n```'), /<code class="language-js">x\[1\]\n<\/code>/);
});

test('an escaped bracket is no number', () => assert.equal(html('\\[1] is text'), '<p>[1] is text</p>'));

const HOSTILE: readonly (readonly [string, string])[] = [
  ['script', '<script>alert(1)</script>'],
  ['image with handler', '<img src=x onerror=alert(1)>'],
  ['inline HTML', 'a <b onclick="x()">b</b>'],
  ['command link', '[click](command:workbench.action.terminal.new)'],
  ['remote image', '![x](https://evil.invalid/p.png?q=secret)'],
  ['javascript link', '[x](javascript:alert(1))'],
  ['autolink', '<https://evil.invalid>'],
  ['reference', '[x][y]\n\n[y]: command:evil'],
  ['bare address', 'see https://evil.invalid/?q=1'],
  ['a number that is a link', '[1](command:evil)'],
  ['an attribute in a fence', '```"><img src=x onerror=y>\ncode\n```'],
  ['marks of ours', '\ue000<b>\ue001'],
  ['data of an entity', '&lt;img src=x&gt; &#60;script&#62;'],
];

for (const [name, text] of HOSTILE) {
  test(`nothing comes of ${name}`, () => {
    const made = html(text);
    const tags = [...made.matchAll(/<\/?([a-z0-9]+)([^>]*)>/gi)];
    for (const [, tag, attributes] of tags) {
      assert.ok(['p', 'code', 'pre', 'a'].includes(tag!), made);
      assert.doesNotMatch(attributes!, /\bon\w+\s*=|src\s*=|javascript:|command:/i, made);
    }
    assert.doesNotMatch(made, /href="(?!#")/);
  });
}

test('a doubtful sentence is underlined and its sign says why', () => {
  const sentences: Sentence[] = [
    { text: 'Leases never end.', citations: [1], support: 'not_found' },
    { text: 'They run out.', citations: [2], support: 'supported' },
  ];
  assert.equal(
    html('Leases  never end. [1] ⚠ They run out. [2]', [1, 2], sentences),
    `<p><mark>Leases  never end.</mark> ${link(1)}<span class="sign notFound" role="img" title="not &#34;said&#34;" aria-label="not &#34;said&#34;">⚠\ufe0e</span> They run out. ${link(2)}</p>`,
  );
});

test('a sentence is found with its emphasis and the numbers inside it', () => {
  const sentences: Sentence[] = [{ text: 'They never end.', citations: [1], support: 'weak' }];
  assert.equal(
    html('So. They **never** end [1]. ≈', [1], sentences),
    `<p>So. <mark>They <strong>never</strong> end ${link(1)}.</mark><span class="sign weak" role="img" title="in part" aria-label="in part">≈\ufe0e</span></p>`,
  );
});

test('a sentence that can not be found keeps its sign', () => {
  const made = html('They stop. ≈', [], [{ text: 'Something else.', citations: [], support: 'weak' }]);
  assert.match(made, /class="sign weak"/);
  assert.doesNotMatch(made, /<mark>/);
});

test('lists, tables and emphasis stay', () => {
  assert.equal(html('- *a*\n- **b**'), '<ul>\n<li><em>a</em></li>\n<li><strong>b</strong></li>\n</ul>');
  assert.match(html('| a | b |\n|---|---|\n| 1 | 2 |'), /<td>1<\/td>/);
});
