import { expect } from 'chai';
import { readFile, writeFile } from 'node:fs/promises';
import { fitLine } from '../../src/cli/terminal.ts';
import { changingNode, drawNode } from '../core/view/status-stories.ts';
import { drawTerminal } from './terminal-picture.ts';

describe('the picture of the terminal in the docs', () => {
  it('is what gpu-partition status draws (PICTURES=1 redraws it)', async () => {
    const file = 'docs/images/status.svg';
    const command = `gpu-partition status ${changingNode.metadata.name}`;
    const picture = drawTerminal(
      command,
      drawNode(changingNode, 80).map((line) => fitLine(line, 80)),
      80,
    );
    if (process.env['PICTURES'] !== undefined) await writeFile(file, picture);
    expect(await readFile(file, 'utf8')).to.equal(picture);
  });
});
