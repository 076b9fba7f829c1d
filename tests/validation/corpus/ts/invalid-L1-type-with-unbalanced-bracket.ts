type Matrix = number[][;
export const identity: Matrix = [[1, 0], [0, 1]];
export const size = identity.length;
