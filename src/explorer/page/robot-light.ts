/** The light that robots are seen in. */
import { Color, Vector3 } from 'three';

export const THEMES = {
  light: { sky: '#e4eaf1', floor: ['#e9eef4', '#dde4ec', '#b9c4d2'], ambient: 1.35, sun: 1.9 },
  dark: { sky: '#0f141d', floor: ['#1a212d', '#161c27', '#303c4f'], ambient: 1.5, sun: 2.8 },
} as const;
export type ThemeName = keyof typeof THEMES;

/** What comes from all sides, from above and from below. */
export const ALL_AROUND = { sky: '#ffffff', ground: '#8f9bb0' };
/** The way to the sun from the robot, in units of its reach. */
export const TO_SUN = new Vector3(-1.5, -2, 4);
export const SUNWARDS = TO_SUN.clone().normalize();

/** What level ground gets, in the sun and out of it, by the formulas of three.js. */
export function lightOnFloor(theme: ThemeName): { readonly shaded: Color; readonly lit: Color } {
  const { ambient, sun } = THEMES[theme];
  // For its light from all around y is up, so that level ground is between the two.
  const shaded = new Color(ALL_AROUND.ground).lerp(new Color(ALL_AROUND.sky), 0.5).multiplyScalar(ambient / Math.PI);
  return { shaded, lit: shaded.clone().add(new Color().setScalar((sun * SUNWARDS.z) / Math.PI)) };
}

/** How much darker ground looks where the sun does not reach it: 0 is not at all, 1 is black. */
export function shadowOnFloor(theme: ThemeName): number {
  const { shaded, lit } = lightOnFloor(theme);
  return 1 - (shaded.g / lit.g) ** (1 / 2.2);
}
