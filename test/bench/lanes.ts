/** Requests at a time: more only makes each slower. */
const lanes = 16;

export async function inLanes<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
  const left = items.values();
  await Promise.all(
    Array.from({ length: lanes }, async () => {
      for (const item of left) await work(item);
    }),
  );
}
