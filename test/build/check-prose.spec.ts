import { expect } from 'chai';
// @ts-expect-error -- the checks are plain JavaScript
import { checkProse, findPhrases } from '../../build/check-prose.mjs';

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

  it('finds none in documents, API, help texts and messages', async () => {
    expect(await checkProse()).to.deep.equal([]);
  });
});
