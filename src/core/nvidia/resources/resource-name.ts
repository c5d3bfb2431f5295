import { NVIDIA_PREFIX } from '../labels/label-key.ts';

/** Upstream's limits on a resource name in its config file (`api/config/v1/resources.go`). */
const MAX_LENGTH = 63;
const LABEL = '[a-z0-9]([-a-z0-9]*[a-z0-9])?';
const SUBDOMAIN = `${LABEL}(\\.${LABEL})*`;
const SUBDOMAIN_PATTERN = new RegExp(`^${SUBDOMAIN}$`);
const MAX_SUBDOMAIN_LENGTH = 253;

/** Upstream completes a name that lacks the prefix: `gpu` means `nvidia.com/gpu`. */
export function completeResourceName(name: string): string {
  return name.startsWith(NVIDIA_PREFIX) ? name : NVIDIA_PREFIX + name;
}

/** Upstream's error for a full resource name, or undefined if it is accepted. */
export function findResourceNameError(fullName: string): string | undefined {
  if (fullName.length > MAX_LENGTH) {
    return `fully-qualified resource name must be ${MAX_LENGTH} characters or less: ${fullName}`;
  }
  const name = fullName.slice(fullName.indexOf('/') + 1);
  if (name.length <= MAX_SUBDOMAIN_LENGTH && SUBDOMAIN_PATTERN.test(name)) return undefined;
  return (
    `incorrect format for resource name '${fullName}': [a lowercase RFC 1123 subdomain must consist of lower case ` +
    "alphanumeric characters, '-' or '.', and must start and end with an alphanumeric character " +
    `(e.g. 'example.com', regex used for validation is '${SUBDOMAIN}')]`
  );
}
