/** The most milliseconds that a browser's timer can wait, about 25 days. */
export const LONGEST_TIMER = 2 ** 31 - 1;
