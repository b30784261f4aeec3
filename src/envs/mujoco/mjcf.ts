/** Writes a robot as MJCF, MuJoCo's model format. */
import { legacyInertial } from './inertia.js';
import type { Body, Geom, Joint, Material, Motor, Robot } from './robot.js';

/** How masses and inertias are found: as MuJoCo did up to 2.1.0, or exactly. */
export type Inertials = 'legacy' | 'exact';

/** MuJoCo's working memory for one simulation, far above what these robots need and far below its default of 13 MB. */
const ARENA = '2M';

/** The robot on its floor in MuJoCo's own format. */
export function mjcf(robot: Robot, inertials: Inertials): string {
  const { timestep, integrator, solver, medium, totalMass, floor, motors } = robot;
  return element('mujoco', { model: robot.name }, [
    element('compiler', { angle: 'radian', settotalmass: totalMass }),
    // MuJoCo's own answer to numbers that are no longer finite is to start again from the reference pose, silently.
    element('option', { timestep, integrator, solver: solver?.name, iterations: solver?.iterations, ...medium }, [
      element('flag', { autoreset: 'disable' }),
    ]),
    element('size', { memory: ARENA }),
    element('worldbody', {}, [
      element('geom', {
        type: 'plane',
        pos: [0, 0, floor?.height ?? 0],
        size: [40, 40, 1],
        ...contact({ ...robot.material, ...floor }, 'everything'),
      }),
      body(robot.torso, robot, inertials),
    ]),
    element('actuator', {}, motors.map(motor)),
  ]);
}

function body(part: Body, robot: Robot, inertials: Inertials): string {
  const { name, at, turned, joints, geoms, parts = [] } = part;
  return element('body', { name, pos: at, quat: turned }, [
    ...(inertials === 'legacy' ? [inertial(geoms, robot.material.density)] : []),
    ...joints.map((each) => joint(each, robot)),
    ...geoms.map((each) => geom(each, robot.material)),
    ...parts.map((each) => body(each, robot, inertials)),
  ]);
}

function inertial(geoms: readonly Geom[], density: number): string {
  const { mass, centre, inertia } = legacyInertial(geoms, density);
  return element('inertial', { pos: centre, mass, fullinertia: inertia });
}

function joint({ name, kind, axis, at, range, reference, ...forces }: Joint, robot: Robot): string {
  return element('joint', { name, type: kind, axis, pos: at, range, ref: reference, ...robot.joints, ...forces });
}

function geom({ friction, ...shape }: Geom, material: Material): string {
  const place =
    shape.kind === 'sphere'
      ? { pos: shape.centre, size: shape.radius }
      : { fromto: [...shape.from, ...shape.to], size: shape.radius };
  const { density, touches } = material;
  return element('geom', {
    type: shape.kind,
    ...place,
    density,
    ...contact({ ...material, friction: friction ?? material.friction }, touches),
  });
}

/** Two geoms can collide when a bit of contype of one is in conaffinity of the other. */
function contact({ touches, condim, friction, margin = 0, solimp }: Material, meets: Material['touches']): Attributes {
  return {
    contype: touches === 'nothing' ? 0 : 1,
    conaffinity: touches !== 'nothing' && meets === 'everything' ? 1 : 0,
    condim,
    friction,
    // Since version 3.5 the margins of a pair are added, where the larger one counted when the robots were published.
    margin: margin / 2,
    solimp,
  };
}

function motor({ joint: name, gear, limit = 1 }: Motor): string {
  return element('motor', { joint: name, gear, ctrlrange: [-limit, limit] });
}

type Attributes = Readonly<Record<string, string | number | readonly number[] | undefined>>;

function element(name: string, attributes: Attributes, children: readonly string[] = []): string {
  const written = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${[value].flat().join(' ')}"`)
    .join('');
  return children.length === 0 ? `<${name}${written}/>\n` : `<${name}${written}>\n${children.join('')}</${name}>\n`;
}
