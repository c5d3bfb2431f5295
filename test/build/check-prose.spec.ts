import { expect } from 'chai';
// @ts-expect-error -- the checks are plain JavaScript
import { checkProse, commentsOf, findPhrases, titlesOf } from '../../build/check-prose.mjs';

describe('build/check-prose.mjs', () => {
  it('names a phrase and what to write instead', () => {
    expect(findPhrases('2 wrong use; 3 could not find out')).to.deep.equal([
      '"wrong use": usage error',
      '"could not find out": the state could not be determined',
    ]);
    expect(findPhrases('Whether the GPU knows MIG')).to.deep.equal(['"knows MIG": supports (does not support) MIG']);
    expect(findPhrases('what is is written twice')).to.deep.equal(['"is is": (a doubled word)']);
  });

  it('lets plain words pass', () => {
    expect(findPhrases('The agent destroys idle instances, one GPU at a time.')).to.deep.equal([]);
  });

  it('reads comments, and no code beside them', () => {
    const text = ["const a = 'https://b.c'; // one", '/** two', ' * three `code` */', 'const b = 1;'].join('\n');
    expect(commentsOf(text)).to.deep.equal(['// one', '/** two', '* three `…` */', '']);
  });

  it('reads the titles of tests, at the line of the title', () => {
    const text = [
      "describe('a node', () => {",
      '  it(',
      '    `is ${state}`,',
      "    async () => it.skip('x'));",
      '});',
    ].join('\n');
    expect(titlesOf(text)).to.deep.equal(['a node', '', 'is ${state}', '', '']);
  });

  it('finds none in documents, API, help texts, messages, comments and titles', async () => {
    expect(await checkProse()).to.deep.equal([]);
  });
});
