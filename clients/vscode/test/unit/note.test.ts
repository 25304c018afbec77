import assert from 'node:assert/strict';
import { test } from 'node:test';
import { answerText, fileName, harmless } from '../../src/answer/note';
import { begun } from '../../src/answer/state';
import { linkText } from '../../src/links';

test('links, images and HTML of a model are taken apart, code is left alone', () => {
  assert.equal(harmless('![x](https://evil.invalid/a.png)'), '\\![x\\](https://evil.invalid/a.png)');
  assert.equal(harmless('[x](command:evil) and [y][z]\n[z]: https://evil.invalid'), '[x\\](command:evil) and [y\\][z]\n[z\\]: https://evil.invalid');
  assert.equal(harmless('<img src=x> a < b'), '\\<img src=x> a < b');
  assert.equal(harmless('`<b>` and\n```\n<b>[x](y)\n```\n<b>'), '`<b>` and\n```\n<b>[x](y)\n```\n\\<b>');
});

test('an answer comes with the sources that it names', () => {
  const range = { start: { line: 8, character: 0 }, end: { line: 9, character: 0 } };
  const sources = [1, 2, 3].map((number) => ({ number, uri: `file:///w/${number}.md`, range }));
  const turn = { ...begun('k', 'Why?'), text: 'Because. [1] Also. [2, 1]', sources };
  assert.equal(answerText(turn, ({ uri }) => uri, '**Sources**'), 'Because. [1] Also. [2, 1]\n\n**Sources**\n\n- [1] file:///w/1.md\n- [2] file:///w/2.md\n');
});

test('a question becomes a name that every file system takes', () => {
  assert.equal(fileName('Why: do we use "leases"/locks?'), 'Why do we use leases locks.md');
  assert.equal(fileName('../../etc'), 'etc.md');
  assert.equal(fileName('???'), 'answer.md');
  assert.equal(fileName('租约多长时间？'), '租约多长时间？.md');
  assert.equal(fileName('x'.repeat(100)), `${'x'.repeat(60)}.md`);
});

test('links to notes in both styles', () => {
  const target = { file: '/w/docs/lease protocol.md', root: '/w', title: 'Lease [protocol]', heading: 'Lease [protocol] > What can go wrong?' };
  assert.equal(linkText('wiki', target, '/w/notes/a.md'), '[[docs/lease protocol#What can go wrong?|Lease protocol]]');
  assert.equal(linkText('markdown', target, '/w/notes/a.md'), '[Lease \\[protocol\\]](../docs/lease%20protocol.md#what-can-go-wrong)');
  assert.equal(linkText('markdown', { ...target, heading: '' }, undefined), '[Lease \\[protocol\\]](docs/lease%20protocol.md)');
});
