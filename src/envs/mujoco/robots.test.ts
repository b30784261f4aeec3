import { beforeAll, describe, expect, it } from 'vitest';
import { ANT } from './ant.js';
import { HALF_CHEETAH } from './half-cheetah.js';
import { HOPPER } from './hopper.js';
import { HUMANOID } from './humanoid.js';
import { bodiesOf, type Robot } from './robot.js';
import { loadMujoco, modelOf, type Model } from './simulation.js';
import { SWIMMER } from './swimmer.js';
import { WALKER2D } from './walker2d.js';

// What MuJoCo makes of the robots, against numbers that were worked out from the published models by another program.

/** Fields of a compiled model that only these tests read. */
interface Compiled extends Model {
  readonly body_ipos: Float64Array;
  readonly body_iquat: Float64Array;
  readonly body_inertia: Float64Array;
  readonly jnt_type: Int32Array;
  readonly jnt_axis: Float64Array;
  readonly jnt_pos: Float64Array;
  readonly jnt_range: Float64Array;
  readonly jnt_stiffness: Float64Array;
  readonly jnt_solimp: Float64Array;
  readonly jnt_dofadr: Int32Array;
  readonly dof_armature: Float64Array;
  readonly dof_damping: Float64Array;
  readonly actuator_trnid: Int32Array;
  readonly actuator_gear: Float64Array;
  readonly geom_contype: Int32Array;
  readonly geom_conaffinity: Int32Array;
  readonly geom_condim: Int32Array;
  readonly geom_margin: Float64Array;
  readonly geom_friction: Float64Array;
  readonly geom_solimp: Float64Array;
  readonly qpos0: Float64Array;
  readonly opt: Model['opt'] & { readonly [name: string]: number };
}

type Row = readonly [name: string, ...numbers: number[]];

/** One thing per line: its name, then numbers. */
function table(text: string): readonly Row[] {
  return text
    .trim()
    .split('\n')
    .map((line) => {
      const [name, ...numbers] = line.trim().split(' ');
      return [name, ...numbers.map((number) => JOINT_TYPES[number] ?? Number(number))];
    });
}

const JOINT_TYPES: Readonly<Record<string, number>> = { free: 0, slide: 2, hinge: 3 };

interface Golden {
  readonly robot: Robot;
  readonly totalMass: { readonly legacy: number; readonly exact: number };
  /** Mass, centre of mass, inertia about it (xx, yy, zz, xy, xz, yz). */
  readonly legacy: readonly Row[];
  readonly exact: readonly Row[];
  /** Type, axis, anchor, range, armature, damping, stiffness. */
  readonly joints: readonly Row[];
  /** Gear, limit of the action. */
  readonly motors: readonly Row[];
}

const GOLDEN: readonly Golden[] = [
  {
    robot: HALF_CHEETAH,
    totalMass: { legacy: 14, exact: 14 },
    legacy: table(`
      torso 6.36031331592689 0.149137931034483 0 0.0248563218390805 0.0248192450093188 0.894453606704481 0.876363573183412 0 -0.0786397721176774 0
      bthigh 1.53524804177546 0.1 0 -0.13 0.0101525462815473 0.0152557597911227 0.00672750593777382 0 0.00659708270961479 0
      bshin 1.58093994778068 -0.14 0 -0.07 0.00460684695580463 0.0166083011314186 0.013674088640366 0 -0.00593420733989661 0
      bfoot 1.06919060052219 0.03 0 -0.097 0.00513745913582842 0.00544431853785901 0.00143806305738306 0 0.00110876379861565 0
      fthigh 1.42558746736292 -0.07 0 -0.12 0.00964956506917168 0.012318501305483 0.00417720777678133 0 -0.00466139392340951 0
      fshin 1.17885117493473 0.065 0 -0.09 0.00527672129530251 0.00716269973890339 0.00313320298668182 0 0.00275672704728808 0
      ffoot 0.849869451697128 0.045 0 -0.07 0.00226192336180078 0.0028997545691906 0.00153699308728538 0 0.000932315290761632 0`),
    exact: table(`
      torso 6.25020920502092 0.152389878163074 0 0.025398313027179 0.0252622926064869 0.897117688111743 0.878354083036637 0 -0.0792593724068679 0
      bthigh 1.54351464435146 0.1 0 -0.13 0.0111283381733107 0.01684433958159 0.00729202299823744 0 0.00738925267146634 0
      bshin 1.58744769874477 -0.14 0 -0.07 0.00489250887926316 0.0182674190794979 0.014997412961741 0 -0.00661332277899821 0
      bfoot 1.09539748953975 0.03 0 -0.097 0.00597887229468337 0.00635242326359833 0.00147546460908233 0 0.00134973798596345 0
      fthigh 1.43807531380753 -0.07 0 -0.12 0.0107090265829395 0.0137396433472803 0.0044950835425835 0 -0.00529308208164823 0
      fshin 1.20083682008368 0.065 0 -0.09 0.00598760609205537 0.00822210861924686 0.00344797097907433 0 0.00326616328773157 0
      ffoot 0.884518828451883 0.045 0 -0.07 0.00268413610023824 0.00352910945606695 0.00172377737256511 0 0.0012350941296038 0`),
    joints: table(`
      rootx slide 1 0 0 0 0 0 0 0 0 0 0
      rootz slide 0 0 1 0 0 0 0 0 0 0 0
      rooty hinge 0 1 0 0 0 0 0 0 0 0 0
      bthigh hinge 0 1 0 0 0 0 -0.52 1.05 0.1 6 240
      bshin hinge 0 1 0 0 0 0 -0.785 0.785 0.1 4.5 180
      bfoot hinge 0 1 0 0 0 0 -0.4 0.785 0.1 3 120
      fthigh hinge 0 1 0 0 0 0 -1 0.7 0.1 4.5 180
      fshin hinge 0 1 0 0 0 0 -1.2 0.87 0.1 3 120
      ffoot hinge 0 1 0 0 0 0 -0.5 0.5 0.1 1.5 60`),
    motors: table(`
      bthigh 120 1
      bshin 90 1
      bfoot 60 1
      fthigh 120 1
      fshin 60 1
      ffoot 30 1`),
  },
  {
    robot: HOPPER,
    totalMass: { legacy: 15.2649987037928, exact: 15.820013405927 },
    legacy: table(`
      torso 3.53429173528852 0 0 0 0.061850105367549 0.061850105367549 0.00441786466911065 0 0 0
      thigh 3.92699081698724 0 0 -0.225 0.0842666779478513 0.0842666779478513 0.00490873852123405 0 0 0
      leg 2.71433605270158 0 0 0 0.0670441005017291 0.0670441005017291 0.00217146884216127 0 0 0
      foot 5.08938009881546 0 0 0 0.00916088417786783 0.0904637312564449 0.0904637312564449 0 0 0`),
    exact: table(`
      torso 3.66519142918809 0 0 0 0.069245938072875 0.069245938072875 0.00445058959258554 0 0 0
      thigh 4.05789051088682 0 0 -0.225 0.0932987568269219 0.0932987568269219 0.00494146344470895 0 0 0
      leg 2.78135669597816 0 0 0 0.0723025401732097 0.0723025401732097 0.00218219214508552 0 0 0
      foot 5.31557476987393 0 0 0 0.00924231425944888 0.103523080590005 0.103523080590005 0 0 0`),
    joints: table(`
      rootx slide 1 0 0 0 0 0 0 0 0 0 0
      rootz slide 0 0 1 0 0 0 0 0 0 0 0
      rooty hinge 0 1 0 0 0 0 0 0 0 0 0
      thigh_joint hinge 0 -1 0 0 0 0 0 0 1 40 0
      leg_joint hinge 0 -1 0 0 0 0.25 0 0 1 40 0
      foot_joint hinge 0 -1 0 -0.065 0 0 0 0 1 40 0`),
    motors: table(`
      thigh_joint 200 2
      leg_joint 200 2
      foot_joint 300 4`),
  },
  {
    robot: WALKER2D,
    totalMass: { legacy: 34.0470103832794, exact: 35.5157049488326 },
    legacy: table(`
      torso 5.30143760293277 0 0 0 0.0927751580513235 0.0927751580513235 0.00662679700366597 0 0 0
      thigh 5.89048622548086 0 0 -0.225 0.126400016921777 0.126400016921777 0.00736310778185108 0 0 0
      leg 4.07150407905237 0 0 0 0.100566150752594 0.100566150752594 0.0032572032632419 0 0 0
      foot 4.41079608564007 0 0 0 0.00793943295415213 0.0288172010928485 0.0288172010928485 0 0 0
      thigh_left 5.89048622548086 0 0 -0.225 0.126400016921777 0.126400016921777 0.00736310778185108 0 0 0
      leg_left 4.07150407905237 0 0 0 0.100566150752594 0.100566150752594 0.0032572032632419 0 0 0
      foot_left 4.41079608564007 0 0 0 0.00793943295415213 0.0288172010928485 0.0288172010928485 0 0 0`),
    exact: table(`
      torso 5.49778714378214 0 0 0 0.103868907109312 0.103868907109312 0.00667588438887831 0 0 0
      thigh 6.08683576633023 0 0 -0.225 0.139948135240383 0.139948135240383 0.00741219516706342 0 0 0
      leg 4.17203504396725 0 0 0 0.108453810259815 0.108453810259815 0.00327328821762828 0 0 0
      foot 4.75008809222777 0 0 0 0.0080615780765237 0.0359966199522441 0.0359966199522441 0 0 0
      thigh_left 6.08683576633023 0 0 -0.225 0.139948135240383 0.139948135240383 0.00741219516706342 0 0 0
      leg_left 4.17203504396725 0 0 0 0.108453810259815 0.108453810259815 0.00327328821762828 0 0 0
      foot_left 4.75008809222777 0 0 0 0.0080615780765237 0.0359966199522441 0.0359966199522441 0 0 0`),
    joints: table(`
      rootx slide 1 0 0 0 0 0 0 0 0 0 0
      rootz slide 0 0 1 0 0 0 0 0 0 0 0
      rooty hinge 0 1 0 0 0 0 0 0 0 0 0
      thigh_joint hinge 0 -1 0 0 0 0 -2.61799387799149 0 0.01 3 0
      leg_joint hinge 0 -1 0 0 0 0.25 -2.61799387799149 0 0.01 3 0
      foot_joint hinge 0 -1 0 -0.1 0 0 -0.785398163397448 0.785398163397448 0.01 3 0
      thigh_left_joint hinge 0 -1 0 0 0 0 -2.61799387799149 0 0.01 3 0
      leg_left_joint hinge 0 -1 0 0 0 0.25 -2.61799387799149 0 0.01 3 0
      foot_left_joint hinge 0 -1 0 -0.1 0 0 -0.785398163397448 0.785398163397448 0.01 3 0`),
    motors: table(`
      thigh_joint 100 1
      leg_joint 100 1
      foot_joint 100 1
      thigh_left_joint 100 1
      leg_left_joint 100 1
      foot_left_joint 100 1`),
  },
  {
    robot: ANT,
    totalMass: { legacy: 0.878710173934632, exact: 0.910880082707392 },
    legacy: table(`
      torso 0.327249234748937 0 0 0 0.00818123086872342 0.00818123086872342 0.00818123086872342 0 0 0
      front_left_leg 0.0364769279974034 0.1 0.1 0 0.0002876431230346 0.0002876431230346 0.00045856007647751 -0.000170916953442909 0 0
      aux_1 0.0364769279974034 0.1 0.1 0 0.0002876431230346 0.0002876431230346 0.00045856007647751 -0.000170916953442909 0 0
      foot_1 0.064911378801617 0.2 0.2 0 0.00128337820016876 0.00128337820016876 0.00235903998817235 -0.00107566178800359 0 0
      front_right_leg 0.0364769279974034 -0.1 0.1 0 0.0002876431230346 0.0002876431230346 0.00045856007647751 0.000170916953442909 0 0
      aux_2 0.0364769279974034 -0.1 0.1 0 0.0002876431230346 0.0002876431230346 0.00045856007647751 0.000170916953442909 0 0
      foot_2 0.064911378801617 -0.2 0.2 0 0.00128337820016876 0.00128337820016876 0.00235903998817235 0.00107566178800359 0 0
      back_leg 0.0364769279974034 -0.1 -0.1 0 0.0002876431230346 0.0002876431230346 0.00045856007647751 -0.000170916953442909 0 0
      aux_3 0.0364769279974034 -0.1 -0.1 0 0.0002876431230346 0.0002876431230346 0.00045856007647751 -0.000170916953442909 0 0
      foot_3 0.064911378801617 -0.2 -0.2 0 0.00128337820016876 0.00128337820016876 0.00235903998817235 -0.00107566178800359 0 0
      right_back_leg 0.0364769279974034 0.1 -0.1 0 0.0002876431230346 0.0002876431230346 0.00045856007647751 0.000170916953442909 0 0
      aux_4 0.0364769279974034 0.1 -0.1 0 0.0002876431230346 0.0002876431230346 0.00045856007647751 0.000170916953442909 0 0
      foot_4 0.064911378801617 0.2 -0.2 0 0.00128337820016876 0.00128337820016876 0.00235903998817235 0.00107566178800359 0 0`),
    exact: table(`
      torso 0.327249234748937 0 0 0 0.00818123086872342 0.00818123086872342 0.00818123086872342 0 0 0
      front_left_leg 0.0391577537284667 0.1 0.1 0 0.000343203990626186 0.000343203990626186 0.0005679660831928 -0.000224762092566614 0 0
      aux_1 0.0391577537284667 0.1 0.1 0 0.000343203990626186 0.000343203990626186 0.0005679660831928 -0.000224762092566614 0 0
      foot_1 0.0675922045326803 0.2 0.2 0 0.00144211140033562 0.00144211140033562 0.00267479066003818 -0.00123267925970256 0 0
      front_right_leg 0.0391577537284667 -0.1 0.1 0 0.000343203990626186 0.000343203990626186 0.0005679660831928 0.000224762092566614 0 0
      aux_2 0.0391577537284667 -0.1 0.1 0 0.000343203990626186 0.000343203990626186 0.0005679660831928 0.000224762092566614 0 0
      foot_2 0.0675922045326803 -0.2 0.2 0 0.00144211140033562 0.00144211140033562 0.00267479066003818 0.00123267925970256 0 0
      back_leg 0.0391577537284667 -0.1 -0.1 0 0.000343203990626186 0.000343203990626186 0.0005679660831928 -0.000224762092566614 0 0
      aux_3 0.0391577537284667 -0.1 -0.1 0 0.000343203990626186 0.000343203990626186 0.0005679660831928 -0.000224762092566614 0 0
      foot_3 0.0675922045326803 -0.2 -0.2 0 0.00144211140033562 0.00144211140033562 0.00267479066003818 -0.00123267925970256 0 0
      right_back_leg 0.0391577537284667 0.1 -0.1 0 0.000343203990626186 0.000343203990626186 0.0005679660831928 0.000224762092566614 0 0
      aux_4 0.0391577537284667 0.1 -0.1 0 0.000343203990626186 0.000343203990626186 0.0005679660831928 0.000224762092566614 0 0
      foot_4 0.0675922045326803 0.2 -0.2 0 0.00144211140033562 0.00144211140033562 0.00267479066003818 0.00123267925970256 0 0`),
    joints: table(`
      root free 0 0 1 0 0 0 0 0 0 0 0
      hip_1 hinge 0 0 1 0 0 0 -0.523598775598299 0.523598775598299 1 1 0
      ankle_1 hinge -0.707106781186547 0.707106781186547 0 0 0 0 0.523598775598299 1.22173047639603 1 1 0
      hip_2 hinge 0 0 1 0 0 0 -0.523598775598299 0.523598775598299 1 1 0
      ankle_2 hinge 0.707106781186547 0.707106781186547 0 0 0 0 -1.22173047639603 -0.523598775598299 1 1 0
      hip_3 hinge 0 0 1 0 0 0 -0.523598775598299 0.523598775598299 1 1 0
      ankle_3 hinge -0.707106781186547 0.707106781186547 0 0 0 0 -1.22173047639603 -0.523598775598299 1 1 0
      hip_4 hinge 0 0 1 0 0 0 -0.523598775598299 0.523598775598299 1 1 0
      ankle_4 hinge 0.707106781186547 0.707106781186547 0 0 0 0 0.523598775598299 1.22173047639603 1 1 0`),
    motors: table(`
      hip_4 100 1
      ankle_4 100 1
      hip_1 100 1
      ankle_1 100 1
      hip_2 100 1
      ankle_2 100 1
      hip_3 100 1
      ankle_3 100 1`),
  },
  {
    robot: SWIMMER,
    totalMass: { legacy: 103.672557568463, exact: 106.814150222053 },
    legacy: table(`
      torso 34.5575191894877 1 0 0 0.172787595947439 3.5709436495804 3.5709436495804 0 0 0
      mid 34.5575191894877 -0.5 0 0 0.172787595947439 3.5709436495804 3.5709436495804 0 0 0
      back 34.5575191894877 -0.5 0 0 0.172787595947439 3.5709436495804 3.5709436495804 0 0 0`),
    exact: table(`
      torso 35.6047167406843 1 0 0 0.173834793498635 3.91756603902647 3.91756603902647 0 0 0
      mid 35.6047167406843 -0.5 0 0 0.173834793498635 3.91756603902647 3.91756603902647 0 0 0
      back 35.6047167406843 -0.5 0 0 0.173834793498635 3.91756603902647 3.91756603902647 0 0 0`),
    joints: table(`
      slider1 slide 1 0 0 0 0 0 0 0 0.1 0 0
      slider2 slide 0 1 0 0 0 0 0 0 0.1 0 0
      rot hinge 0 0 1 0 0 0 0 0 0.1 0 0
      rot2 hinge 0 0 1 0 0 0 -1.74532925199433 1.74532925199433 0.1 0 0
      rot3 hinge 0 0 1 0 0 0 -1.74532925199433 1.74532925199433 0.1 0 0`),
    motors: table(`
      rot2 300 1
      rot3 300 1`),
  },
  {
    robot: HUMANOID,
    totalMass: { legacy: 39.6458171325632, exact: 42.1160304921299 },
    legacy: table(`
      torso 8.32207893935936 -0.00244620611551529 0 0.0403624009060023 0.159055795288423 0.147625105971008 0.0332164630861216 0 -0.0032645808470771 0
      lwaist 2.03575203952619 0 0 0 0.00732870734229427 0.00366435367114713 0.00732870734229427 0 0 0
      pelvis 5.85278711363778 -0.02 0 0 0.0376529304310697 0.023703787810233 0.0376529304310697 0 0 0
      right_thigh 4.52555625774778 0 0.005 -0.17 0.0644581174952244 0.0644094466946788 0.00819467206449161 0 0 0.00165480721855097
      right_shin 2.63249442248291 0 0 -0.15 0.0283001925398321 0.0283001925398321 0.00316030955419074 0 0 0
      right_foot 1.76714586764426 0 0 0.1 0.00397607820219958 0.00397607820219958 0.00397607820219958 0 0 0
      left_thigh 4.52555625774778 0 -0.005 -0.17 0.0644581174952244 0.0644094466946788 0.00819467206449161 0 0 -0.00165480721855097
      left_shin 2.63249442248291 0 0 -0.15 0.0283001925398321 0.0283001925398321 0.00316030955419074 0 0 0
      left_foot 1.76714586764426 0 0 0.1 0.00397607820219958 0.00397607820219958 0.00397607820219958 0 0 0
      right_upper_arm 1.59405984156163 0.08 -0.08 -0.08 0.0097565539887119 0.0097565539887119 0.0097565539887119 0.0042406530577313 0.0042406530577313 -0.0042406530577313
      right_lower_arm 1.19834313058338 0.110133992479953 0.110133992479953 0.110133992479953 0.00874770072351416 0.00874770072351416 0.00874770072351416 -0.00406456883942919 -0.00406456883942919 -0.00406456883942919
      left_upper_arm 1.59405984156163 0.08 0.08 -0.08 0.0097565539887119 0.0097565539887119 0.0097565539887119 -0.0042406530577313 0.0042406530577313 0.0042406530577313
      left_lower_arm 1.19834313058338 0.110133992479953 -0.110133992479953 0.110133992479953 0.00874770072351416 0.00874770072351416 0.00874770072351416 0.00406456883942919 -0.00406456883942919 0.00406456883942919`),
    exact: table(`
      torso 8.90746237047826 -0.00253938396426052 0 0.0346625911121561 0.173148828456454 0.154010140564664 0.0412118515263969 0 -0.0034983853921664 0
      lwaist 2.26194671058465 0 0 0 0.00985303987130674 0.00374578375272818 0.00985303987130674 0 0 0
      pelvis 6.6161941284601 -0.02 0 0 0.0523179791858065 0.0243221474922391 0.0523179791858065 0 0 0
      right_thigh 4.75175092880624 0 0.005 -0.17 0.074951653865192 0.0748939838370851 0.00828510137363393 0 0 0.00196078095563406
      right_shin 2.75569616718364 0 0 -0.15 0.0326080154643399 0.0326080154643399 0.00318989029309338 0 0 0
      right_foot 1.76714586764426 0 0 0.1 0.00397607820219958 0.00397607820219958 0.00397607820219958 0 0 0
      left_thigh 4.75175092880624 0 -0.005 -0.17 0.074951653865192 0.0748939838370851 0.00828510137363393 0 0 -0.00196078095563406
      left_shin 2.75569616718364 0 0 -0.15 0.0326080154643399 0.0326080154643399 0.00318989029309338 0 0 0
      left_foot 1.76714586764426 0 0 0.1 0.00397607820219958 0.00397607820219958 0.00397607820219958 0 0 0
      right_upper_arm 1.66108048483821 0.08 -0.08 -0.08 0.0110323519784524 0.0110323519784524 0.0110323519784524 0.00487319040113943 0.00487319040113943 -0.00487319040113943
      right_lower_arm 1.22954019283108 0.109623133688712 0.109623133688712 0.109623133688712 0.00931867258218424 0.00931867258218424 0.00931867258218424 -0.00434855574992323 -0.00434855574992323 -0.00434855574992323
      left_upper_arm 1.66108048483821 0.08 0.08 -0.08 0.0110323519784524 0.0110323519784524 0.0110323519784524 -0.00487319040113943 0.00487319040113943 0.00487319040113943
      left_lower_arm 1.22954019283108 0.109623133688712 -0.109623133688712 0.109623133688712 0.00931867258218424 0.00931867258218424 0.00931867258218424 0.00434855574992323 -0.00434855574992323 0.00434855574992323`),
    joints: table(`
      root free 0 0 1 0 0 0 0 0 0 0 0
      abdomen_z hinge 0 0 1 0 0 0.065 -0.785398163397448 0.785398163397448 0.02 5 20
      abdomen_y hinge 0 1 0 0 0 0.065 -1.30899693899575 0.523598775598299 0.02 5 10
      abdomen_x hinge 1 0 0 0 0 0.1 -0.610865238198015 0.610865238198015 0.02 5 10
      right_hip_x hinge 1 0 0 0 0 0 -0.436332312998582 0.0872664625997165 0.01 5 10
      right_hip_z hinge 0 0 1 0 0 0 -1.0471975511966 0.610865238198015 0.01 5 10
      right_hip_y hinge 0 1 0 0 0 0 -1.91986217719376 0.349065850398866 0.008 5 20
      right_knee hinge 0 -1 0 0 0 0.02 -2.79252680319093 -0.0349065850398866 0.006 1 0
      left_hip_x hinge -1 0 0 0 0 0 -0.436332312998582 0.0872664625997165 0.01 5 10
      left_hip_z hinge 0 0 -1 0 0 0 -1.0471975511966 0.610865238198015 0.01 5 10
      left_hip_y hinge 0 1 0 0 0 0 -1.91986217719376 0.349065850398866 0.01 5 20
      left_knee hinge 0 -1 0 0 0 0.02 -2.79252680319093 -0.0349065850398866 0.006 1 1
      right_shoulder1 hinge 0.816496580927726 0.408248290463863 0.408248290463863 0 0 0 -1.48352986419518 1.0471975511966 0.0068 1 1
      right_shoulder2 hinge 0 -0.707106781186547 0.707106781186547 0 0 0 -1.48352986419518 1.0471975511966 0.0051 1 1
      right_elbow hinge 0 -0.707106781186547 0.707106781186547 0 0 0 -1.5707963267949 0.872664625997165 0.0028 1 0
      left_shoulder1 hinge 0.816496580927726 -0.408248290463863 0.408248290463863 0 0 0 -1.0471975511966 1.48352986419518 0.0068 1 1
      left_shoulder2 hinge 0 0.707106781186547 0.707106781186547 0 0 0 -1.0471975511966 1.48352986419518 0.0051 1 1
      left_elbow hinge 0 -0.707106781186547 -0.707106781186547 0 0 0 -1.5707963267949 0.872664625997165 0.0028 1 0`),
    motors: table(`
      abdomen_y 100 0.4
      abdomen_z 100 0.4
      abdomen_x 100 0.4
      right_hip_x 100 0.4
      right_hip_z 100 0.4
      right_hip_y 300 0.4
      right_knee 200 0.4
      left_hip_x 100 0.4
      left_hip_z 100 0.4
      left_hip_y 300 0.4
      left_knee 200 0.4
      right_shoulder1 25 0.4
      right_shoulder2 25 0.4
      right_elbow 25 0.4
      left_shoulder1 25 0.4
      left_shoulder2 25 0.4
      left_elbow 25 0.4`),
  },
];

function compiled(robot: Robot, inertials: 'legacy' | 'exact' = 'legacy'): Compiled {
  return modelOf(robot, inertials) as Compiled;
}

/** The tensor, in the axes of the body, that MuJoCo keeps as principal moments and a quaternion. */
function tensor({ body_iquat, body_inertia }: Compiled, body: number): number[] {
  const [w, x, y, z] = body_iquat.subarray(4 * body);
  const axes = [
    [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
    [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
    [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
  ];
  const entry = (i: number, j: number) =>
    [0, 1, 2].reduce((sum, k) => sum + axes[i][k] * axes[j][k] * body_inertia[3 * body + k], 0);
  return [entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)];
}

function expectRows(actual: readonly Row[], expected: readonly Row[]): void {
  expect(actual.map(([name]) => name)).toEqual(expected.map(([name]) => name));
  actual.forEach(([name, ...numbers], i) => {
    const golden = expected[i].slice(1) as number[];
    numbers.forEach((number, k) => {
      const error = Math.abs(number - golden[k]);
      expect(error, `${name}, number ${k}`).toBeLessThan(1e-14 + 1e-12 * Math.abs(golden[k]));
    });
  });
}

beforeAll(loadMujoco);

describe.each(GOLDEN)('$robot.name', (golden) => {
  const { robot } = golden;

  it.each(['legacy', 'exact'] as const)('has the published masses, centres and inertias: %s', (inertials) => {
    const model = compiled(robot, inertials);
    const rows = bodiesOf(robot).map(({ name }, i): Row => {
      const body = i + 1;
      const centre = model.body_ipos.subarray(3 * body, 3 * body + 3);
      return [name, model.body_mass[body], ...centre, ...tensor(model, body)];
    });
    expectRows(rows, golden[inertials]);
    expect(model.body_mass.reduce((sum, mass) => sum + mass, 0)).toBeCloseTo(golden.totalMass[inertials], 11);
  });

  it('has the published joints', () => {
    const model = compiled(robot);
    const joints = bodiesOf(robot).flatMap((body) => body.joints);
    const rows = joints.map(({ name }, i): Row => {
      const dof = model.jnt_dofadr[i];
      return [
        name,
        model.jnt_type[i],
        ...model.jnt_axis.subarray(3 * i, 3 * i + 3),
        ...model.jnt_pos.subarray(3 * i, 3 * i + 3),
        ...model.jnt_range.subarray(2 * i, 2 * i + 2),
        model.dof_armature[dof],
        model.dof_damping[dof],
        model.jnt_stiffness[i],
      ];
    });
    expectRows(rows, golden.joints);
  });

  it('has the published motors', () => {
    const model = compiled(robot);
    const joints = bodiesOf(robot).flatMap((body) => body.joints);
    const rows = golden.motors.map((_, i): Row => {
      const [low, high] = model.actuator_ctrlrange.subarray(2 * i);
      expect(low).toBe(-high);
      return [joints[model.actuator_trnid[2 * i]].name, model.actuator_gear[6 * i], high];
    });
    expect(model.actuator_trnid).toHaveLength(2 * golden.motors.length);
    expectRows(rows, golden.motors);
  });
});

it.each([
  // Euler is 0, RK4 is 1; PGS is 0, Newton is 2.
  [HALF_CHEETAH, { timestep: 0.01, integrator: 0, solver: 2, iterations: 100, density: 0, viscosity: 0 }],
  [HOPPER, { timestep: 0.002, integrator: 1, solver: 2, iterations: 100, density: 0, viscosity: 0 }],
  [WALKER2D, { timestep: 0.002, integrator: 1, solver: 2, iterations: 100, density: 0, viscosity: 0 }],
  [ANT, { timestep: 0.01, integrator: 1, solver: 2, iterations: 100, density: 0, viscosity: 0 }],
  [SWIMMER, { timestep: 0.01, integrator: 1, solver: 2, iterations: 100, density: 4000, viscosity: 0.1 }],
  [HUMANOID, { timestep: 0.003, integrator: 1, solver: 0, iterations: 50, density: 0, viscosity: 0 }],
])('$name is simulated with the published options', (robot, options) => {
  const { opt } = compiled(robot);
  for (const [name, value] of Object.entries(options)) expect(opt[name], name).toBe(value);
});

it.each([
  [HALF_CHEETAH, [0, 0, 0, 0, 0, 0, 0, 0, 0]],
  [HOPPER, [0, 1.25, 0, 0, 0, 0]],
  [WALKER2D, [0, 1.25, 0, 0, 0, 0, 0, 0, 0]],
  [ANT, [0, 0, 0.75, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]],
  [SWIMMER, [0, 0, 0, 0, 0]],
  [HUMANOID, [0, 0, 1.4, 1, ...new Array<number>(20).fill(0)]],
])('$name has the published reference pose', (robot, pose) => {
  expect([...compiled(robot).qpos0]).toEqual(pose);
});

describe('contacts', () => {
  it.each([
    [HALF_CHEETAH, 1, 0],
    [HOPPER, 1, 1],
    [WALKER2D, 1, 0],
    [ANT, 1, 0],
    [SWIMMER, 0, 0],
    [HUMANOID, 1, 1],
  ])('of $name are with the floor, with itself or with nothing as published', (robot, type, affinity) => {
    const { geom_contype, geom_conaffinity } = compiled(robot);
    expect([geom_contype[0], geom_conaffinity[0]]).toEqual([type, type]);
    expect(new Set(geom_contype.subarray(1))).toEqual(new Set([type]));
    expect(new Set(geom_conaffinity.subarray(1))).toEqual(new Set([affinity]));
  });

  it.each([
    [HALF_CHEETAH, 0],
    [HOPPER, 0.0005],
    [WALKER2D, 0],
    [ANT, 0.005],
    [SWIMMER, 0],
    [HUMANOID, 0.0005],
  ])('of $name have half of the published margin on each side', (robot, margin) => {
    expect(new Set(compiled(robot).geom_margin)).toEqual(new Set([margin]));
  });

  it('have friction where either side has it', () => {
    const frictions = (robot: Robot) => {
      const { geom_friction: values, geom_condim: dimensions } = compiled(robot);
      return Array.from(dimensions, (condim, i) => [condim, ...values.subarray(3 * i, 3 * i + 3)]);
    };
    expect(frictions(HALF_CHEETAH)).toEqual(new Array(9).fill([3, 0.4, 0.1, 0.1]));
    expect(frictions(HOPPER)).toEqual([
      [3, 1, 0.005, 0.0001],
      [1, 0.9, 0.005, 0.0001],
      [1, 0.9, 0.005, 0.0001],
      [1, 0.9, 0.005, 0.0001],
      [1, 2, 0.005, 0.0001],
    ]);
    expect(frictions(WALKER2D)).toEqual([
      [3, 0.7, 0.1, 0.1],
      ...new Array<number[]>(6).fill([3, 0.9, 0.1, 0.1]),
      [3, 1.9, 0.1, 0.1],
    ]);
    expect(frictions(ANT)).toEqual(new Array(14).fill([3, 1, 0.5, 0.5]));
    expect(frictions(HUMANOID)).toEqual([[3, 1, 0.1, 0.1], ...new Array<number[]>(17).fill([1, 1, 0.005, 0.0001])]);
  });

  it('are as soft as published', () => {
    const softness = (robot: Robot) => [...compiled(robot).geom_solimp.subarray(0, 5)];
    expect(softness(HALF_CHEETAH)).toEqual([0, 0.8, 0.01, 0.5, 2]);
    expect(softness(HOPPER)).toEqual([0.8, 0.8, 0.01, 0.5, 2]);
    for (const robot of [WALKER2D, ANT, HUMANOID]) expect(softness(robot)).toEqual([0.9, 0.95, 0.001, 0.5, 2]);
    expect([...compiled(HALF_CHEETAH).jnt_solimp.subarray(0, 5)]).toEqual([0, 0.8, 0.03, 0.5, 2]);
    expect([...compiled(ANT).jnt_solimp.subarray(0, 5)]).toEqual([0.9, 0.95, 0.001, 0.5, 2]);
  });
});
