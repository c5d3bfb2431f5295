import { expect } from 'chai';
import { apiVersionOf, collectionPath, keyOf, objectPath, refOf, type Resource } from '../../src/kube/resource.ts';

const nodes: Resource = { group: '', version: 'v1', plural: 'nodes', kind: 'Node' };
const deployments: Resource = { group: 'apps', version: 'v1', plural: 'deployments', kind: 'Deployment' };

describe('paths of the API', () => {
  it('puts the core group under /api and all others under /apis', () => {
    expect(collectionPath(nodes)).to.equal('/api/v1/nodes');
    expect(collectionPath(deployments, 'a')).to.equal('/apis/apps/v1/namespaces/a/deployments');
    expect([apiVersionOf(nodes), apiVersionOf(deployments)]).to.deep.equal(['v1', 'apps/v1']);
  });

  it('names an object and its subresource', () => {
    const ref = { resource: deployments, namespace: 'a', name: 'b', subresource: 'status' };
    expect(objectPath(ref)).to.equal('/apis/apps/v1/namespaces/a/deployments/b/status');
  });

  it('cannot be led astray by a name with a slash', () => {
    expect(objectPath({ resource: nodes, name: '../pods' })).to.equal('/api/v1/nodes/..%2Fpods');
  });

  it('takes no name that would make the path one of all objects', () => {
    for (const name of ['', '.', '..'])
      expect(() => objectPath({ resource: nodes, name })).to.throw(`"${name}" is not the name of a Node`);
  });

  it('knows an object by namespace and name', () => {
    expect(keyOf({ metadata: { name: 'n' } })).to.equal('n');
    expect(keyOf({ metadata: { name: 'n', namespace: 'a' } })).to.equal('a/n');
    expect(refOf(nodes, { metadata: { name: 'n' } }, 'status')).to.deep.equal({
      resource: nodes,
      name: 'n',
      subresource: 'status',
    });
  });
});
