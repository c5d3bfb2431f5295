import { expect } from 'chai';
import { countResources } from './gauges.ts';
import { slopeOf } from './slope.ts';

describe('the figures of a soak', () => {
  it('have the slope of a straight line, of noise around one, and none of too few points', () => {
    const line = (noise: readonly number[]) => noise.map((dy, x) => ({ x, y: 50 + 2 * x + dy }));
    expect(slopeOf(line([0, 0, 0, 0]))).to.equal(2);
    expect(slopeOf(line([0.5, -0.5, 0.5, -0.5, 0.5]))).to.be.closeTo(2, 0.2);
    expect(slopeOf(line([0, 0]))).to.equal(undefined);
    expect(slopeOf([1, 1, 1].map((x) => ({ x, y: 1 })))).to.equal(undefined);
  });

  it('have timers, sockets and children added up from the metrics of a program', () => {
    const metrics = [
      '# TYPE nodejs_active_resources gauge',
      'nodejs_active_resources{type="Timeout"} 4',
      'nodejs_active_resources{type="TCPSocketWrap",program="agent"} 2',
      'nodejs_active_resources_total 6',
    ].join('\n');
    expect(countResources(metrics)).to.equal(6);
    expect(countResources('process_cpu_seconds_total 1')).to.equal(undefined);
  });
});
