import { MIG_OPTIONS } from '../mig/mig-options.ts';

export type HelpTopic = 'overview' | 'mig' | 'query-gpu' | 'query-compute-apps';

/** Gives the text of a help page. The texts are long and rarely wanted, so the program loads them only when they are. */
export type HelpTexts = (topic: HelpTopic) => string;

/** True if the command line may print a help page: `mig` does so when it finds no action. */
export function mayPrintHelp(argv: readonly string[]): boolean {
  const asksForAction = MIG_OPTIONS.filter(({ name }) => NO_ACTIONS.every((other) => other !== name))
    .flatMap(({ spellings }) => spellings)
    .some((spelling) => argv.some((word) => word === spelling || word.startsWith(`${spelling}=`)));
  return argv.some((word) => word === '-h' || word.startsWith('--help')) || (argv[0] === 'mig' && !asksForAction);
}

const NO_ACTIONS = ['help', 'id', 'gi', 'ci'] as const;

/** Loads all help pages. */
export async function loadHelpTexts(): Promise<HelpTexts> {
  const [mig, overview, query] = await Promise.all([import('./mig.ts'), import('./overview.ts'), import('./query.ts')]);
  return (topic) => {
    switch (topic) {
      case 'mig':
        return mig.MIG_HELP;
      case 'overview':
        return overview.OVERVIEW_HELP;
      case 'query-gpu':
        return query.QUERY_GPU_HELP;
      case 'query-compute-apps':
        return query.QUERY_COMPUTE_APPS_HELP;
    }
  };
}
