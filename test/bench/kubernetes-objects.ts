import type { ControlPlane } from '../../src/simulator/control-plane/start.ts';
import { eventually } from '../support/eventually.ts';

/** Makes a namespace and waits until pods can be made in it. */
export async function createNamespace({ client }: ControlPlane, name: string): Promise<void> {
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
  await client.demand({ method: 'POST', path: '/api/v1/namespaces', body });
  await eventually(
    async () => (await client.send({ path: `/api/v1/namespaces/${name}/serviceaccounts/default` })).status,
    (status) => status === 200,
    { what: `the default ServiceAccount of ${name}` },
  );
}

/** Makes a ServiceAccount with these rights in the whole cluster. */
export async function createServiceAccount(
  { client }: ControlPlane,
  namespace: string,
  name: string,
  rules: readonly object[],
): Promise<void> {
  const rbac = '/apis/rbac.authorization.k8s.io/v1';
  const metadata = { name };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name };
  const subjects = [{ kind: 'ServiceAccount', namespace, name }];
  await client.demand({
    method: 'POST',
    path: `/api/v1/namespaces/${namespace}/serviceaccounts`,
    body: { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
  });
  await client.demand({ method: 'POST', path: `${rbac}/clusterroles`, body: { metadata, rules } });
  await client.demand({
    method: 'POST',
    path: `${rbac}/clusterrolebindings`,
    body: { metadata, roleRef, subjects },
  });
}
