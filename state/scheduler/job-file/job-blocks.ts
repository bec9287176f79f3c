import { jobShape, taskGroupShape, volumeShape } from '../job/job-shape.ts'
import { checkRestartShape, checkShape, serviceShape } from '../job/service-shapes.ts'
import { taskShape } from '../job/task-shape.ts'
import { connect } from './connect-blocks.ts'
import {
  affinity,
  constraint,
  groupScaling,
  jobReschedule,
  migrate,
  multiregion,
  network,
  parameterized,
  periodic,
  reschedule,
  restart,
  spread,
  taskScaling,
  update,
} from './scheduling-blocks.ts'
import {
  anyValues,
  type BlockRule,
  repeatedBlock,
  singleBlock,
  stringListValues,
  stringValues,
  withLabel,
} from './schema.ts'
import { shapeContents } from './shape-contents.ts'
import {
  action,
  artifact,
  identity,
  logs,
  mesh,
  resources,
  schedule,
  secrets,
  serviceIdentity,
  template,
  volumeMount,
} from './task-blocks.ts'

const checkRestart = singleBlock('CheckRestart', shapeContents(checkRestartShape))

const check = repeatedBlock(
  'Checks',
  shapeContents(checkShape, {
    blocks: { header: singleBlock('Header', stringListValues), check_restart: checkRestart },
  }),
)

/** The `service` block of a group or task (behaviour/scheduler#job-file-blocks). */
const service = repeatedBlock(
  'Services',
  shapeContents(serviceShape, {
    blocks: {
      check,
      check_restart: checkRestart,
      connect,
      identity: serviceIdentity,
    },
  }),
)

const meta = singleBlock('Meta', stringValues, { isAssignable: true })

const task = repeatedBlock(
  'Tasks',
  shapeContents(taskShape, {
    blocks: {
      config: singleBlock('Config', anyValues),
      env: singleBlock('Env', stringValues, { isAssignable: true }),
      meta,
      constraint,
      affinity,
      restart,
      resources,
      logs,
      artifact,
      template,
      service,
      secrets,
      mesh,
      volume_mount: volumeMount,
      scaling: taskScaling,
      identity,
      action,
      schedule,
    },
    laterBlockTypes: ['secret'],
  }),
  withLabel('name', 'Name'),
)

const volume: BlockRule = {
  member: 'Volumes',
  form: 'map',
  contents: shapeContents(volumeShape),
  ...withLabel('name', 'Name'),
}

export const group = shapeContents(taskGroupShape, {
  blocks: {
    meta,
    constraint,
    affinity,
    spread,
    update,
    migrate,
    reschedule,
    restart,
    scaling: groupScaling,
    network,
    volume,
    service,
    task,
    secrets: { ...secrets, ignoresProblems: true },
    mesh,
  },
})

const uiShape = jobShape.fields.UI.shape.to
const link = repeatedBlock('Links', shapeContents(uiShape.fields.Links.shape.of))
const ui = singleBlock('UI', shapeContents(uiShape, { blocks: { link } }))

/**
 * Contents of `job "ID"` (behaviour/scheduler#job-file-blocks). `Tasks` and `Secrets` are not
 * members of a job; `inheritBlocks` moves them to groups and tasks.
 */
export const job = shapeContents(jobShape, {
  blocks: {
    meta,
    constraint,
    affinity,
    spread,
    update,
    migrate,
    reschedule: jobReschedule,
    periodic,
    parameterized,
    multiregion,
    group: repeatedBlock('TaskGroups', group, withLabel('name', 'Name')),
    task,
    secrets: { ...secrets, isCheckedFirst: true },
    ui,
  },
})
