const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;
const MONTHS = ['Jan', 'Feb', 'Mar', 'Apr', 'May', 'Jun', 'Jul', 'Aug', 'Sep', 'Oct', 'Nov', 'Dec'] as const;

/** As C's `ctime`: `Sat Nov 21 02:32:34 2026`, local time. */
export function formatDate(date: Date): string {
  const day = String(date.getDate()).padStart(2);
  return `${DAYS[date.getDay()]} ${MONTHS[date.getMonth()]} ${day} ${formatTime(date)} ${date.getFullYear()}`;
}

/** As `--query-gpu=timestamp`: `2026/11/21 02:32:34.123`. */
export function formatTimestamp(date: Date): string {
  const month = two(date.getMonth() + 1);
  const milliseconds = String(date.getMilliseconds()).padStart(3, '0');
  return `${date.getFullYear()}/${month}/${two(date.getDate())} ${formatTime(date)}.${milliseconds}`;
}

function formatTime(date: Date): string {
  return [date.getHours(), date.getMinutes(), date.getSeconds()].map(two).join(':');
}

function two(value: number): string {
  return String(value).padStart(2, '0');
}
