/** A kubeconfig file as JSON, which is also YAML. It embeds the certificate, so that the file is self-contained. */
export function formatKubeconfig(about: {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
}): string {
  const cluster = { server: about.server, 'certificate-authority-data': Buffer.from(about.ca).toString('base64') };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'local', cluster }],
    users: [{ name: 'local', user: { token: about.token } }],
    contexts: [{ name: 'local', context: { cluster: 'local', user: 'local' } }],
    'current-context': 'local',
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
