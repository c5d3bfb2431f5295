import { expect } from 'chai';
import { Program } from './program.ts';

const prepared = `
  import { exitOnUnhandled } from 'src/process/fatal.ts';
  import { createLogger } from 'src/process/log.ts';
  exitOnUnhandled(createLogger());
  setInterval(() => undefined, 1000);
`;

describe('exitOnUnhandled', () => {
  const mistakes = {
    'a rejection that nobody handles': `Promise.reject(new Error('the cause of it'));`,
    'an exception that nobody catches': `setTimeout(() => { throw new Error('the cause of it'); }, 1);`,
  };
  for (const [name, mistake] of Object.entries(mistakes)) {
    it(`logs ${name} with its stack and ends the process with 1`, async () => {
      await using program = new Program(prepared + mistake);
      const { code, output } = await program.end();
      expect(code).to.equal(1);
      expect(JSON.parse(output)).to.have.property('error').that.contains('the cause of it').and.contains(' at ');
    });
  }
});
