import { controllerCommand } from './command.ts';

await controllerCommand().parseAsync();
