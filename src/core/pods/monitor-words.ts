const mostNamed = 4;

/** What to do about pods that look on at a GPU that is in use; undefined if none does. @param monitors as `NAMESPACE/POD (claim NAMESPACE/NAME)` */
export function adviseMonitors(monitors: readonly string[]): string | undefined {
  if (monitors.length === 0) return undefined;
  const more = monitors.length > mostNamed ? ` and ${monitors.length - mostNamed} more` : '';
  const names = `${monitors.slice(0, mostNamed).join(', ')}${more}`;
  const many = monitors.length > 1;
  return (
    `${many ? 'Pods' : 'Pod'} ${names} ${many ? 'look' : 'looks'} on with admin access and may have it open: stop ${many ? 'these monitors' : 'this monitor'}, ` +
    'or label it away until the change is done (kubectl label node NODE nvidia.com/gpu.deploy.dcgm-exporter=false --overwrite; of a GPUCluster: …dcgm-exporter-dra)'
  );
}
