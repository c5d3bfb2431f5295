export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'other';

/** A request as the API server would see it. */
export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: string;
  readonly verb: Verb;
  /** Plural, with the subresource if there is one: `nodes`, `gpunodepartitions/status`. */
  readonly resource: string;
  /** The object's; empty for a collection. */
  readonly name: string;
  readonly atMs: number;
}

export function describeSeen(method: string, target: string, body: string): SeenRequest {
  const { pathname: path, searchParams: query } = new URL(target, 'http://proxy');
  const parts = path.split('/').slice(path.startsWith('/api/') ? 3 : 4);
  const [plural = '', name = '', subresource = ''] =
    parts[0] === 'namespaces' && parts.length > 2 ? parts.slice(2) : parts;
  const resource = subresource === '' ? plural : `${plural}/${subresource}`;
  return { method, path, query, body, verb: verbOf(method, name, query), resource, name, atMs: performance.now() };
}

function verbOf(method: string, name: string, query: URLSearchParams): Verb {
  switch (method) {
    case 'GET':
      if (query.get('watch') === 'true') return 'watch';
      return name === '' ? 'list' : 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return 'delete';
    default:
      return 'other';
  }
}

/** A watch that continues where an earlier one ended. */
export function isResume({ verb, query }: SeenRequest): boolean {
  return verb === 'watch' && (query.get('resourceVersion') ?? '') !== '';
}

/** A list that arrives as the beginning of a watch (KEP-3157). */
export function isStreamedList({ verb, query }: SeenRequest): boolean {
  return verb === 'watch' && query.get('sendInitialEvents') === 'true';
}
