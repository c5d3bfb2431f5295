import { expect } from 'chai';
import { countResources } from './gauges.ts';
import { slopeOf } from './slope.ts';

describe('the figures of a soak', () => {
  const line = (noise: readonly number[], level = 50) => noise.map((dy, x) => ({ x, y: level + 2 * x + dy }));

  it('have the slope of a straight line, and of noise around one with what the noise may add', () => {
    expect(slopeOf([line([0, 0, 0, 0])])).to.deep.equal({ slope: 2, uncertainty: 0 });
    const noisy = slopeOf([line([0.5, -0.5, 0.5, -0.5, 0.5])]);
    expect(noisy?.slope).to.be.closeTo(2, 0.2);
    expect(noisy?.uncertainty).to.be.closeTo(0.4, 1e-9);
  });

  it('have the slope that several processes share, whatever level each has', () => {
    const found = slopeOf([line([0, 0, 0], 50), line([0, 0, 0], 90), []]);
    expect(found?.slope).to.equal(2);
    expect(found?.uncertainty).to.be.closeTo(0, 1e-6);
  });

  it('have no slope where there are too few points to doubt it', () => {
    expect(slopeOf([])).to.equal(undefined);
    expect(slopeOf([line([0, 0])])).to.equal(undefined);
    expect(slopeOf([line([0, 0]), line([0])])).to.equal(undefined);
    expect(slopeOf([[1, 1, 1, 1].map((x) => ({ x, y: 1 }))])).to.equal(undefined);
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
