/** Property tests try the same cases every time; FAST_CHECK_SEED=2 tries others. */
import fc from 'fast-check';

fc.configureGlobal({ seed: Number(process.env.FAST_CHECK_SEED ?? 1) });
