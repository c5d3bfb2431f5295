import { expect } from 'chai';
import { Program } from './program.ts';

const waiting = `
  import { abortOnSignals } from 'src/process/shutdown.ts';
  import { createLogger } from 'src/process/log.ts';
  const signal = abortOnSignals(createLogger());
  const alive = setInterval(() => undefined, 1000);
`;

describe('abortOnSignals', () => {
  for (const name of ['SIGTERM', 'SIGINT'] as const) {
    it(`lets the program end what it does on ${name}`, async () => {
      await using program = new Program(`${waiting}
        signal.addEventListener('abort', () => {
          clearInterval(alive);
          console.log('cleaned up: ' + signal.reason.message);
          process.exitCode = 0;
        });
        console.log('ready');
      `);
      await program.says('ready');
      program.child.kill(name);
      const { code, output } = await program.end();
      expect(output).to.contain(`cleaned up: stopped by ${name}`);
      expect(code).to.equal(0);
    });
  }

  it('ends a program that does not, at the second signal, with the code of the signal', async () => {
    await using program = new Program(`${waiting}
      signal.addEventListener('abort', () => console.log('stubborn'));
      console.log('ready');
    `);
    await program.says('ready');
    program.child.kill('SIGTERM');
    await program.says('stubborn');
    program.child.kill('SIGTERM');
    expect((await program.end()).code).to.equal(143);
  });
});
