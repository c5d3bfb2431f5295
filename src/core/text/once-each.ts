/** The function, called once for each object: what it makes of one is kept as long as the object lives. */
export function onceEach<Key extends object, Made extends object | string>(
  make: (key: Key) => Made,
): (key: Key) => Made {
  const known = new WeakMap<Key, Made>();
  return (key) => {
    const before = known.get(key);
    if (before !== undefined) return before;
    const made = make(key);
    known.set(key, made);
    return made;
  };
}
