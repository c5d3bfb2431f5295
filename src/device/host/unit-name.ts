/** True for the name of a systemd unit that may be stopped, with its type, and nothing that systemctl could take for an option. */
export function isUnitName(text: string): boolean {
  return /^[A-Za-z0-9][\w@.:-]*\.(?:service|socket|timer|target)$/.test(text);
}
