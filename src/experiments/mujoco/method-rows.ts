import type { Layout } from '../experiment.js';
import { CELLS, methodRowsTable } from '../method-rows.js';
import { mujocoLayout, powerOf, scaled } from './layout.js';
import type { MujocoEntry, MujocoRest } from './layout.js';
import type { MujocoCase } from './published.js';

/** The layout of tables of robots that the paper prints with a row for each method. */
export const methodRows: Pick<Layout<MujocoCase, MujocoEntry, MujocoRest>, 'legend' | 'words' | 'table' | 'full'> = {
  legend: `HV: hypervolume, larger is better. SP: sparsity over distinct points, smaller is better. ${CELLS}`,
  words: [0],
  table: ({ envs, entries }) =>
    methodRowsTable(
      entries,
      envs.flatMap(({ env, label, hypervolumeUnit, sparsityUnit }) => [
        {
          env,
          title: `${label} HV (x ${powerOf(hypervolumeUnit)})`,
          printed: ({ hypervolume }) => scaled(hypervolume, hypervolumeUnit),
          ours: ({ hypervolume }) => hypervolume,
          text: (value) => scaled(value, hypervolumeUnit),
        },
        {
          env,
          title: `${label} SP (x ${powerOf(sparsityUnit)})`,
          printed: ({ sparsity }) => scaled(sparsity, sparsityUnit),
          ours: ({ sparsity }) => sparsity.distinct,
          text: (value) => scaled(value, sparsityUnit),
        },
      ]),
    ),
  full: { legend: mujocoLayout.legend, table: (report) => mujocoLayout.table(report) },
};
