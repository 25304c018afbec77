import assert from 'node:assert/strict';
import { test } from 'node:test';
import { checked } from '../../src/answer/messages';
import { AnswerEvent, begun, cut, ended, grown } from '../../src/answer/state';

const range = { start: { line: 0, character: 0 }, end: { line: 1, character: 0 } };
const source = { number: 1, uri: 'file:///w/a.md', range };

test('events add up to the answer', () => {
  const sentence = { text: 'It is so.', citations: [1], support: 'supported' as const };
  const events: AnswerEvent[] = [
    { stream: 's', seq: 0, kind: 'status', status: 'reading' },
    { stream: 's', seq: 1, kind: 'sources', citations: [source] },
    { stream: 's', seq: 2, kind: 'text', text: 'It is ' },
    { stream: 's', seq: 3, kind: 'text', text: 'so. [1]' },
    { stream: 's', seq: 4, kind: 'sentence', sentence },
  ];
  const turn = events.reduce(grown, begun('s', 'Is it so?'));
  const answer = { id: '7', text: 'It is so. [1]', model: '', citations: [source], sentences: [sentence], nearest: [], finish: 'complete' };
  assert.deepEqual({ ...turn, phase: 'done', id: '7', model: '', finish: 'complete' }, ended(begun('s', 'Is it so?'), answer));
});

test('a text that was taken back is gone with its sentences', () => {
  const turn = grown({ ...begun('s', 'x'), text: 'wrong', sentences: [{ text: 'wrong', citations: [], support: 'not_found' }] }, { stream: 's', seq: 1, kind: 'replace', text: 'right' });
  assert.deepEqual([turn.text, turn.sentences], ['right', []]);
});

test('what came before a stop stays', () => {
  assert.deepEqual(cut({ ...begun('s', 'x'), text: 'half' }, 'stopped', ''), { ...begun('s', 'x'), text: 'half', phase: 'stopped' });
});

test('the page can only say what it is there to say', () => {
  assert.deepEqual(checked({ is: 'source', turn: 'a', number: 1 }), { is: 'source', turn: 'a', number: 1 });
  for (const wrong of [null, 'ready', {}, { is: 'run', command: 'x' }, { is: 'source', turn: 'a', number: '1' }, { is: 'source', number: 1 }, { is: 'ask', question: ' ' }, { is: 'copy' }]) {
    assert.equal(checked(wrong), undefined, JSON.stringify(wrong));
  }
});
