export async function measureFleetMemory(): Promise<void> {}
