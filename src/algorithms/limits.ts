/**
 * The largest settings of networks and populations: far more than pays, and so little that arrays have room for them. Without
 * limits a typing error ends in whatever the engine says of an array that is too long.
 */

/** Units of a layer: two such layers and their state take about 300 MB. */
export const WIDEST = 4096;
/** Features that a hypernetwork generates parameters from, and values that a critic chooses between. */
export const MOST_FEATURES = 1024;
/** Parameters of a hypernetwork's output layer, of which training holds four copies: 1 GB each. */
export const MOST_GENERATORS = 2 ** 28;
/** Weights, directions and policies that a population is spread over. */
export const LARGEST_POPULATION = 10_000;
