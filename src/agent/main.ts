import { agentCommand } from './command.ts';

await agentCommand().parseAsync();
