/**
 * Assigns each row one column so that the sum of costs is minimal, exactly (Hungarian method with potentials, cubic time).
 *
 * @param costs a square matrix of finite numbers whose sums stay below 2^53
 * @returns per row its column; the same matrix always gives the same answer
 */
export function assignRows(costs: readonly (readonly number[])[]): readonly number[] {
  const size = costs.length;
  // Row and column 0 are the method's sentinel: real ones count from 1.
  const rowPotential = Array<number>(size + 1).fill(0);
  const columnPotential = Array<number>(size + 1).fill(0);
  const rowOf = Array<number>(size + 1).fill(0);
  for (let row = 1; row <= size; row += 1) {
    rowOf[0] = row;
    const before = Array<number>(size + 1).fill(0);
    let column = 0;
    const slack = Array<number>(size + 1).fill(Infinity);
    const visited = Array<boolean>(size + 1).fill(false);
    do {
      visited[column] = true;
      const current = rowOf[column] ?? 0;
      let delta = Infinity;
      let nearest = 0;
      for (let next = 1; next <= size; next += 1) {
        if (visited[next] === true) continue;
        const reduced =
          (costs[current - 1]?.[next - 1] ?? 0) - (rowPotential[current] ?? 0) - (columnPotential[next] ?? 0);
        if (reduced < (slack[next] ?? 0)) {
          slack[next] = reduced;
          before[next] = column;
        }
        if ((slack[next] ?? 0) < delta) {
          delta = slack[next] ?? 0;
          nearest = next;
        }
      }
      for (let next = 0; next <= size; next += 1) {
        if (visited[next] === true) {
          const owner = rowOf[next] ?? 0;
          rowPotential[owner] = (rowPotential[owner] ?? 0) + delta;
          columnPotential[next] = (columnPotential[next] ?? 0) - delta;
        } else slack[next] = (slack[next] ?? 0) - delta;
      }
      column = nearest;
    } while (rowOf[column] !== 0);
    while (column !== 0) {
      const previous = before[column] ?? 0;
      rowOf[column] = rowOf[previous] ?? 0;
      column = previous;
    }
  }
  const columns = Array<number>(size).fill(0);
  for (let column = 1; column <= size; column += 1) columns[(rowOf[column] ?? 1) - 1] = column - 1;
  return columns;
}
