import { jobShape, taskGroupShape, volumeShape } from '../job/job-shape.ts'
import { taskShape } from '../job/task-shape.ts'
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
  all,
  anything,
  type BlockRule,
  definite,
  labelled,
  many,
  one,
  plain,
  texts,
} from './schema.ts'
import { service } from './service-blocks.ts'
import { tableOf } from './table.ts'
import {
  action,
  artifact,
  identity,
  logs,
  mesh,
  resources,
  schedule,
  secrets,
  template,
  volumeMount,
} from './task-parts.ts'

const meta = one('Meta', texts, { assignable: true })

const task = many(
  'Tasks',
  tableOf(taskShape, {
    blocks: {
      config: one('Config', anything),
      env: one('Env', texts, { assignable: true }),
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
    later: ['secret'],
  }),
  labelled('name', 'Name'),
)

const volume: BlockRule = {
  member: 'Volumes',
  as: 'map',
  contents: tableOf(volumeShape),
  ...labelled('name', 'Name'),
}

/** What may stand in `group`. */
export const group = tableOf(taskGroupShape, {
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
    secrets: { ...secrets, forgiving: true },
    mesh,
    disconnect: one(
      'Disconnect',
      plain({
        ...all('duration', 'lost_after stop_on_client_after'),
        ...all('bool', 'replace'),
        ...all('string', 'reconcile'),
      }),
    ),
  },
})

/**
 * `job "ID"`: all that may stand in it (behaviour/scheduler#job-file-blocks). `Tasks` and
 * `Secrets` are no members of a job: they are handed down when all is read.
 */
export const job = tableOf(jobShape, {
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
    group: many('TaskGroups', group, labelled('name', 'Name')),
    task,
    secrets: { ...secrets, soughtFirst: true },
    ui: one('UI', {
      arguments: definite('string', 'description'),
      blocks: { link: many('Links', plain(definite('string', 'label url->URL'))) },
    }),
  },
})
