/** Fonts, colours and sizes of all plots. */

/** PNG pictures always show Inter, which png.ts brings along; in an SVG the reader's machine takes the first it has. */
export const FONT_FAMILY = "Inter, system-ui, 'Segoe UI', Roboto, 'Helvetica Neue', Arial, sans-serif";

export const WIDTH = 640;
export const HEIGHT = 460;
/** Room left free at the picture's edges. */
export const MARGIN = 24;
/** The right end of a horizontal axis, with room for half a tick label beyond it. */
export const AXIS_END = WIDTH - MARGIN - 6;

export const SIZE = { title: 18, subtitle: 13, label: 12, tick: 11 } as const;
export const INK = { title: '#1b1f24', text: '#4b525b', faint: '#767d86', axis: '#a4abb3', grid: '#eceef1' } as const;

/** The true front, and whatever else is only there to compare with. */
export const MUTED = '#9aa1a9';
export const MUTED_FILL = '#e9ebee';

/**
 * Okabe and Ito's colours ("Color universal design", 2008), which people tell apart whatever their colour vision. Their
 * yellow is left out because it is too faint on white.
 */
export const PALETTE = ['#0072B2', '#D55E00', '#009E73', '#CC79A7', '#E69F00', '#56B4E9', '#000000'] as const;

/** Viridis, whose lightness grows evenly, without the yellow end. */
export const SEQUENTIAL = ['#440154', '#414487', '#2a788e', '#22a884', '#7ad151'] as const;
