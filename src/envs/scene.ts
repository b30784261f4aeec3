/** Shapes that an environment is drawn with: flat ones, with the meaning of their colour instead of a colour. */

export type ScenePoint = readonly [x: number, y: number];

/** What a shape stands for: what acts, where it is and cannot go, what marks a place, or an objective, by its number. */
export type ScenePaint = 'actor' | 'ground' | 'mark' | number;

/** A closed shape is filled; a line is not. Later ones lie above earlier ones. */
export type SceneShape =
  | { readonly kind: 'polygon' | 'line'; readonly points: readonly ScenePoint[]; readonly paint: ScenePaint }
  | { readonly kind: 'circle'; readonly centre: ScenePoint; readonly radius: number; readonly paint: ScenePaint };

export function polygon(paint: ScenePaint, points: readonly ScenePoint[]): SceneShape {
  return { kind: 'polygon', points, paint };
}

export function line(paint: ScenePaint, points: readonly ScenePoint[]): SceneShape {
  return { kind: 'line', points, paint };
}

export function circle(paint: ScenePaint, centre: ScenePoint, radius: number): SceneShape {
  return { kind: 'circle', centre, radius, paint };
}

export function rectangle(paint: ScenePaint, [x, y]: ScenePoint, width: number, height: number): SceneShape {
  return polygon(paint, [
    [x, y],
    [x + width, y],
    [x + width, y + height],
    [x, y + height],
  ]);
}

/** Points around the origin, turned by an angle in radians and moved. */
export function placed(points: readonly ScenePoint[], [x, y]: ScenePoint, angle = 0): ScenePoint[] {
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  return points.map(([right, up]) => [x + cos * right - sin * up, y + sin * right + cos * up]);
}
