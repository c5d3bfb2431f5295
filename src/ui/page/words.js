export const count = (number, word) => `${number} ${word}${number === 1 ? '' : 's'}`;

/** `45 s`, `4 min`, `2 h 10 min`, `2 d 1 h`, `9 d`: as the command line writes them. */
export function duration(seconds) {
  if (seconds < 60) return `${Math.round(seconds)} s`;
  const minutes = Math.round(seconds / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${minutes % 60} min`;
  const days = Math.floor(hours / 24);
  return days >= 8 || hours % 24 === 0 ? `${days} d` : `${days} d ${hours % 24} h`;
}

/** `12:00:05` by the clock of the browser; with the day if that is another one. */
export function clock(time) {
  const date = new Date(time);
  const words = date.toTimeString().slice(0, 8);
  if (date.toDateString() === new Date().toDateString()) return words;
  const [month, day] = [date.getMonth() + 1, date.getDate()].map((number) => String(number).padStart(2, '0'));
  return `${date.getFullYear()}-${month}-${day} ${words}`;
}

export const since = (time) => `since ${clock(time)}`;

/** `0–3, 5` of ascending numbers */
export function ranges(numbers) {
  const found = [];
  for (const number of numbers) {
    const last = found.at(-1);
    if (last && last[1] === number - 1) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}–${to}`)).join(', ');
}
