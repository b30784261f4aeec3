/**
 * A robot of one's own, simulated by MuJoCo: a pole that hangs from a cart is to be swung up and held upright, with little
 * force. The model is MJCF, and each objective has its term of the reward.
 *
 * usage: npx psl train examples/envs/cart-pole.ts
 */
import { defineMujocoEnv } from 'psl-morl';

const xml = `
  <mujoco model="cart-pole">
    <option timestep="0.01"><flag autoreset="disable"/></option>
    <worldbody>
      <body name="cart">
        <joint name="rail" type="slide" axis="1 0 0" range="-2 2" limited="true" damping="0.1"/>
        <geom type="box" size="0.15 0.1 0.08" mass="1"/>
        <body name="pole">
          <joint name="pivot" type="hinge" axis="0 1 0"/>
          <geom type="capsule" fromto="0 0 0 0 0 -0.8" size="0.03" mass="0.1" contype="0" conaffinity="0"/>
        </body>
      </body>
    </worldbody>
    <actuator><motor joint="rail" gear="20" ctrlrange="-1 1"/></actuator>
  </mujoco>`;

export default defineMujocoEnv({
  id: 'cart-pole',
  summary: 'A pole on a cart: swing it up and hold it, with little force.',
  xml,
  actuators: 1,
  frameSkip: 2,
  horizon: 250,
  discount: 0.99,
  referencePoint: [0, -250],
  objectives: [
    // The pole hangs at an angle of 0.
    { name: 'Upright', reward: ({ qpos: [, angle] }) => (1 - Math.cos(angle)) / 2 },
    { name: 'Thrift', reward: ({ action: [force] }) => -(force ** 2) },
  ],
  start({ qpos }, random) {
    for (let i = 0; i < qpos.length; i++) qpos[i] += 0.05 * random.normal();
  },
});
