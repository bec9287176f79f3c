import { taskGroupShape, volumeShape } from '../job/job-shape.ts'
import {
  ephemeralDiskShape,
  reschedulePolicyShape,
  restartPolicyShape,
  scalingShape,
  updateShape,
} from '../job/scheduling-shapes.ts'
import {
  compareFlattened,
  compareItems,
  compareObject,
  compareStringSet,
  compositeRule,
  plainRule,
} from './compare.ts'
import { byKey } from './pairing.ts'
import {
  type ComparisonLevel,
  constraintsAndAffinities,
  networks,
  services,
} from './shared-rules.ts'

const scaling = compositeRule('Scaling', scalingShape, {
  // Members that the server sets.
  excludedFields: [
    'ID',
    'Type',
    'CreateIndex',
    'ModifyIndex',
    'Target[Namespace]',
    'Target[Job]',
    'Target[Group]',
  ],
  objects: [['Policy', compareFlattened('Policy')]],
})

const mountOptions = compositeRule('MountOptions', volumeShape.fields.MountOptions.shape.to, {
  objects: [['MountFlags', compareStringSet('MountFlags')]],
})

const volume = compositeRule('Volume', volumeShape, {
  objects: [['MountOptions', compareObject(mountOptions)]],
})

export const groupLevel: ComparisonLevel = {
  fields: {
    shape: taskGroupShape,
    excludedFields: ['Name'],
    pointers: ['ShutdownDelay', 'StopAfterClientDisconnect', 'MaxClientDisconnect'],
  },
  objects: [
    ...constraintsAndAffinities,
    ['RestartPolicy', compareObject(plainRule('RestartPolicy', restartPolicyShape))],
    ['ReschedulePolicy', compareObject(plainRule('ReschedulePolicy', reschedulePolicyShape))],
    ['EphemeralDisk', compareObject(plainRule('EphemeralDisk', ephemeralDiskShape))],
    ['Update', compareObject(plainRule('Update', updateShape, { excludedFields: ['Stagger'] }))],
    ['Networks', networks],
    ['Scaling', compareObject(scaling)],
    ['Services', services],
    ['Volumes', compareItems(byKey, volume)],
  ],
}
