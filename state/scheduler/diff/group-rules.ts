import { taskGroupShape, volumeShape } from '../job/job-shape.ts'
import {
  ephemeralDiskShape,
  reschedulePolicyShape,
  restartPolicyShape,
  scalingShape,
  updateShape,
} from '../job/scheduling-shapes.ts'
import { composite, document, object, objects, plain, textSet } from './compare.ts'
import { byKey } from './pairing.ts'
import { constraintsAndAffinities, type Level, networks, services } from './shared-rules.ts'

const scaling = composite('Scaling', scalingShape, {
  // The server's own: they say nothing that the user wrote.
  without: [
    'ID',
    'Type',
    'CreateIndex',
    'ModifyIndex',
    'Target[Namespace]',
    'Target[Job]',
    'Target[Group]',
  ],
  objects: [['Policy', document('Policy')]],
})

const mountOptions = composite('MountOptions', volumeShape.fields.MountOptions.shape.to, {
  objects: [['MountFlags', textSet('MountFlags')]],
})

const volume = composite('Volume', volumeShape, {
  objects: [['MountOptions', object(mountOptions)]],
})

export const groupLevel: Level = {
  fields: {
    shape: taskGroupShape,
    without: ['Name'],
    pointers: ['ShutdownDelay', 'StopAfterClientDisconnect', 'MaxClientDisconnect'],
  },
  objects: [
    ...constraintsAndAffinities,
    ['RestartPolicy', object(plain('RestartPolicy', restartPolicyShape))],
    ['ReschedulePolicy', object(plain('ReschedulePolicy', reschedulePolicyShape))],
    ['EphemeralDisk', object(plain('EphemeralDisk', ephemeralDiskShape))],
    ['Update', object(plain('Update', updateShape, { without: ['Stagger'] }))],
    ['Networks', networks],
    ['Scaling', object(scaling)],
    ['Services', services],
    ['Volumes', objects(byKey, volume)],
  ],
}
