import { type Command, Option } from 'commander';
import { type LogFormat, logFormats, type LogLevel, logLevels } from './log.ts';
import { integer, oneOf } from './option.ts';

/** What programs that run until a signal share: where they answer probes, and how they log. */
export interface ServiceOptions {
  readonly healthPort?: number;
  readonly healthHost?: string;
  readonly logLevel: LogLevel;
  readonly logFormat: LogFormat;
}

export function addServiceOptions(command: Command): Command {
  return command
    .option('--health-port <port>', 'port that serves /healthz, /readyz and /metrics; absent: none', integer(0, 65535))
    .addOption(
      new Option('--health-host <address>', 'address for --health-port').default(
        process.env['POD_IP'] ?? '127.0.0.1',
        '$POD_IP, else 127.0.0.1',
      ),
    )
    .option('--log-level <level>', `one of ${logLevels.join(', ')}`, oneOf(logLevels), 'info')
    .option('--log-format <format>', 'json, text for people, or auto: text on a terminal', oneOf(logFormats), 'auto');
}
