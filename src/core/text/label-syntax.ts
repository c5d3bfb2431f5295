/** Kubernetes' limits: apimachinery `pkg/util/validation`, IsQualifiedName, IsDNS1123Subdomain and IsValidLabelValue. */
const MAX_NAME = 63;
const MAX_SUBDOMAIN = 253;
const NAME = /^[A-Za-z0-9](?:[-A-Za-z0-9_.]*[A-Za-z0-9])?$/;
const SUBDOMAIN = /^[a-z0-9](?:[-a-z0-9]*[a-z0-9])?(?:[.][a-z0-9](?:[-a-z0-9]*[a-z0-9])?)*$/;

/** Whether a text can be the name of most kinds of objects; some limit the length further. */
export function isSubdomain(text: string): boolean {
  return text.length <= MAX_SUBDOMAIN && SUBDOMAIN.test(text);
}

/** Why no object can have a label, an annotation or a finalizer with this key; undefined for a valid one. */
export function explainKey(key: string): string | undefined {
  const [first = '', second, third] = key.split('/');
  if (third !== undefined) return 'the key has more than one slash';
  if (second !== undefined && !isSubdomain(first)) {
    return "what stands before the slash of the key must be a DNS name of lower-case letters, digits, '-' and '.'";
  }
  const name = second ?? first;
  if (name.length > MAX_NAME) return `the key's name has ${name.length} characters, Kubernetes allows ${MAX_NAME}`;
  return NAME.test(name)
    ? undefined
    : "the key's name must be letters, digits, '-', '_' or '.', and start and end with a letter or digit";
}

/** Why no label can have this value; undefined for a valid one. */
export function explainLabelValue(value: string): string | undefined {
  if (value.length > MAX_NAME) return `the value has ${value.length} characters, Kubernetes allows ${MAX_NAME}`;
  if (value === '' || NAME.test(value)) return undefined;
  return "the value must be letters, digits, '-', '_' or '.', and start and end with a letter or digit";
}

/** What the API server keeps of a `generateName`, before it adds five characters (apiserver `storage/names`). */
export function cutGenerateName(generateName: string): string {
  return generateName.slice(0, 58);
}
