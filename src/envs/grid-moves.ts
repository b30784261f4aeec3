/** What the four actions of a map do, as steps in row and column: up, down, left, right. */
export const MOVES = [
  [-1, 0],
  [1, 0],
  [0, -1],
  [0, 1],
] as const;
