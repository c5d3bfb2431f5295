import type { Finding } from '../text/finding.ts';
import { checkConfig } from './check.ts';
import { parseConfigFile } from './config-file.ts';

/** Checks a config file of mig-parted: its form, and what each config would do to every GPU model that it can match. */
export function validateConfigFile(value: unknown): readonly Finding[] {
  const { configs, findings } = parseConfigFile(value);
  return [...findings, ...configs.flatMap(checkConfig)];
}
