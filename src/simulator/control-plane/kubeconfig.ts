/** A kubeconfig file as JSON, which is also YAML. It embeds the certificate, so that the file is self-contained. */
export function formatKubeconfig(about: {
  readonly server: string;
  readonly ca: string;
  readonly token: string;
  readonly namespace?: string;
}): string {
  const cluster = { server: about.server, 'certificate-authority-data': Buffer.from(about.ca).toString('base64') };
  const context = {
    cluster: 'local',
    user: 'local',
    ...(about.namespace !== undefined && { namespace: about.namespace }),
  };
  const config = {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'local', cluster }],
    users: [{ name: 'local', user: { token: about.token } }],
    contexts: [{ name: 'local', context }],
    'current-context': 'local',
  };
  return `${JSON.stringify(config, undefined, 2)}\n`;
}
